#!/bin/sh
# The owner runs migrations; the login of the processes owns nothing (docs/operations.md, "Database roles").
set -e
psql -v ON_ERROR_STOP=1 -U postgres -d postgres -v owner="$OWNER_PASSWORD" -v api="$API_PASSWORD" <<'SQL'
create role vacancy_owner login createrole password :'owner';
create role vacancy_api login password :'api';
create database vacancy owner vacancy_owner;
SQL
