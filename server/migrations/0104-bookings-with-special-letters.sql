-- As 0101.
select run_in_each_organization($$
  update bookings
  set guest_name = guest_name, guest_email = guest_email
  where search_text ~ '[łøđðħıßæœþ]' or contact_text ~ '[łøđðħıßæœþ]'
$$);
