-- Disputes: the bank of the guest takes a payment back. What it took is a refund with a reason of its own, so that every sum of
-- what was paid is right without knowing of disputes.

alter table payment_intents add column dispute jsonb;
comment on column payment_intents.dispute is
  'The dispute of the bank of the guest as the provider has it: status, amount, reason, respond_by, closed_at; of several '
  'the most urgent one. Null without.';
create index payment_intents_disputed on payment_intents (org_id) where dispute is not null;

alter table payment_refunds
  drop constraint payment_refunds_reason_check,
  add constraint payment_refunds_reason_check
    check (reason in ('requested_by_guest', 'duplicate', 'fraudulent', 'cancellation', 'other', 'dispute')) not valid;
alter table payment_refunds validate constraint payment_refunds_reason_check;
