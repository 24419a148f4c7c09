/** What happens in an organization: payments, messages, changes and files, one for each unit or booking. */
export const activityOf = (orgId: string, createdAt: string): string[] => {
  const ofOrg = `org_id = '${orgId}'`
  const ofBookings = `bookings booking join numbered using (org_id, unit_id)`
  const ofTargets = `(select id as target_id, row_number() over (order by id) - 1 as number
    from channel_targets where ${ofOrg} limit 20) target on target.number = n % 20`
  return [
    `insert into payment_intents (org_id, account_id, booking_id, amount, currency, provider_reference, status, amount_received,
        next_attempt_at, created_at, updated_at)
      select org_id, booking.account_id, booking.id, 30000, 'eur', 'pi_' || booking.id,
        case when n % 9 = 0 then 'canceled' else 'succeeded' end, case when n % 9 = 0 then 0 else 30000 end,
        null, ${createdAt}, ${createdAt}
      from ${ofBookings}`,
    `insert into payment_refunds (org_id, account_id, payment_intent_id, amount, currency, reason, status, next_attempt_at,
        created_at, updated_at)
      select org_id, account_id, id, 10000, 'eur', 'requested_by_guest', 'succeeded', null, created_at, created_at
      from payment_intents where ${ofOrg}`,
    `insert into notifications (org_id, account_id, subject_id, kind, channel, audience, recipient, locale, subject, story,
        status, created_at, updated_at, sent_at)
      select org_id, booking.account_id, booking.id, 'booking.confirmed', 'email', 'guest', booking.guest_email, 'en', 'Your booking',
        '{}', 'sent', ${createdAt}, ${createdAt}, ${createdAt}
      from ${ofBookings}`,
    `insert into quotes (org_id, account_id, unit_id, check_in, check_out, guests, rooms, currency, nightly, line_items,
        subtotal_cents, discounts_cents, fees_cents, taxes_cents, included_taxes_cents, total_cents, deposit_cents,
        booking_id, expires_at, created_at)
      select org_id, booking.account_id, unit_id, arrival, departure, 2, 1, 'eur', '[]', '[]', 30000, 0, 0, 0, 0, 30000, 0,
        booking.id, ${createdAt}, ${createdAt}
      from ${ofBookings}`,
    `insert into webhook_endpoints (org_id, url, event_types, secret, description)
      select id, 'https://partner.example/', '{*}', '', '' from organizations where id = '${orgId}'`,
    `insert into webhook_deliveries (org_id, webhook_endpoint_id, event_id, event_occurred_at, event_type, status, created_at)
      select org_id, endpoint.id, event.id, event.occurred_at, event.type, 'delivered', event.occurred_at
      from events event join webhook_endpoints endpoint using (org_id) where ${ofOrg}`,
    `insert into webhook_messages (org_id, account_id, channel_target_id, source, kind, message_id, body, signed, status, received_at)
      select org_id, account_id, target_id, 'pms', 'booking', 'message ' || n, '{}', true, 'processed', now()
      from numbered join ${ofTargets}`,
    `insert into calendar_changes (org_id, id, account_id, unit_id, unit_count, value_count, nights, nights_changed, listings,
        members, date_from, date_to, actor, created_at)
      select org_id, gen_random_uuid(), account_id, unit_id, 1, 1, 1, 1, 1, '{price_cents}', current_date, current_date,
        '{"id":"seed","name":"Seed","type":"system"}', ${createdAt}
      from numbered`,
    `insert into calendar_change_parts (org_id, change_id, unit_id, part, date_from, date_to, nights, price_cents)
      select org_id, id, unit_id, 0, date_from, date_to, array[date_from], '{9000}' from calendar_changes where ${ofOrg}`,
    `insert into media (org_id, account_id, space_id, unit_id, position, key, content_type, size_bytes, checksum, created_at,
        updated_at)
      select org_id, numbered.account_id, space_id, unit_id, 0, 'file ' || n, 'image/jpeg', 1,
        'sha256:' || encode(sha256(n::text::bytea), 'hex'), ${createdAt}, ${createdAt}
      from numbered join units unit using (org_id) where unit.id = unit_id`,
    `insert into booking_conflicts (org_id, account_id, channel_target_id, external_id, pms_booking_id, unit_id, booking,
        reason, message, hint, status, closed_at, created_at, updated_at)
      select org_id, account_id, target_id, 'room-' || n, 'HS-' || n, unit_id, '{}', 'no_room', 'No room', 'Move it',
        'resolved', now(), ${createdAt}, ${createdAt}
      from numbered join ${ofTargets}`,
    `insert into alerts (org_id, account_id, kind, unit_id, message, hint, first_at, last_at, resolved_at)
      select org_id, account_id, 'sync.failed', unit_id, 'Failed', 'Try again', ${createdAt}, ${createdAt}, now()
      from numbered`,
  ]
}

export const activityTables = [
  ...[
    'payment_intents',
    'payment_refunds',
    'notifications',
    'quotes',
    'webhook_deliveries',
    'webhook_messages',
  ],
  ...['calendar_changes', 'calendar_change_parts', 'media', 'booking_conflicts', 'alerts'],
]
