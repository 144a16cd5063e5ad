create or replace trigger bank_transaction_stays before update on bank_transactions
  for each row execute function bank_transaction_stays();
