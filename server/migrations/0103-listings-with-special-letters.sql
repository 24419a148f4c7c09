-- As 0101.
select run_in_each_organization($$
  update channel_listings set external_id = external_id where search_text ~ '[łøđðħıßæœþ]'
$$);
