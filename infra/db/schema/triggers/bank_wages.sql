create or replace trigger bank_wage_stays before update on bank_wages
  for each row execute function bank_wage_stays();
