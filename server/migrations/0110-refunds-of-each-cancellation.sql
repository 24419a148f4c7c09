-- A booking that a PMS reinstates can be cancelled again, and then another part of a payment is refunded. The payments are
-- locked while the refunds of a cancellation are made, so that each is made once without this index.

drop index payment_refunds_of_cancellation;
