import type { Kind } from '../../payslips/figures.ts';

/** Full, short, in capitals, or misspelt. */
export const WORDINGS: Readonly<Record<Kind, readonly string[]>> = {
  basic: ['Basic Salary', 'Monthly Salary', 'Contract Pay', 'Basic', 'BASIC PAY', 'Sal', 'Standard Pay', 'Pay', 'Contracted Pay'],
  hours: ['Hourly Pay', 'Hours @ 1.0', 'Std Hrs', 'Basic Hours', 'Normal Time', 'Flat Time', 'HRS STD', 'Ordinary hours', 'Contract Hours'],
  overtime: ['Overtime x1.5', 'O/T 1.5', 'Overtime', 'OT @ T+1/2', 'Overtme', 'Additional Hours', 'Plain Time OT', 'Extra Hours'],
  bonus: ['Bonus', 'Performance Bonus', 'Retention Payment', 'Xmas Bonus', 'BONUS (NON PEN)', 'Discretionary Bonus', 'Attendance Bonus'],
  commission: ['Commission', 'Comm', 'Sales Comm.', 'Commision', 'Override Commission'],
  holiday: ['Holiday Pay', 'Hol Pay', 'Annual Leave Pay', 'HOLIDAY', 'Rolled Up Hol', 'A/L Paid', 'WTD Holiday'],
  sick: ['SSP', 'Statutory Sick Pay', 'Stat Sick', 'Sick Pay (SSP)', 'S.S.P.'],
  shift: ['Shift Allowance', 'Unsocial Hrs', 'Night Premium', 'Shift Prem', 'Sat Enhancement', 'Weekend Enh.'],
  car: ['Car Allowance', 'Car Allce', 'Vehicle Allowance', 'Cash for Car', 'Essential User'],
  weighting: ['London Weighting', 'LW Allowance', 'HCAS Outer', 'Location Allowance', 'Fringe Allowance'],
  arrears: ['Arrears', 'Back Pay', 'Pay Award Arrears', 'B/Pay', 'Adj prev period'],
  sacrifice: ['Salary Sacrifice - Cycle', 'Childcare Vouchers SS', 'SalSac EV Car', 'Cycle to Work Sacrifice', 'Sal Sac Tech'],
  tax: ['Tax', 'PAYE', 'Income Tax', 'PAYE Tax', 'P.A.Y.E.', 'Tax Paid', 'TAX', 'Inc Tax'],
  ni: ['NI', 'National Insurance', 'Nat. Ins.', 'NIC', 'N.I.', 'Employee NI', 'NI Contributions', "Ee's NI", 'Nat Insurance', 'National Insurence'],
  pension: ['Pension', 'Employee Pension', 'Pension EE', 'Ee Pension', 'Workplace Pension', 'NEST', 'Pension Contribution', 'Pens Conts', 'Auto Enrol Pension', "People's Pension"],
  avc: ['AVC', 'Pension AVC', 'Additional Pension', 'Added Pension', 'Pension - Voluntary', 'APC Pension'],
  'student-loan': ['Student Loan', 'Stud Loan', 'SL Plan 2', 'Student Loan Plan 1', 'S/Loan'],
  'postgraduate-loan': ['Postgrad Loan', 'PGL', 'Postgraduate Loan', 'PG Loan Plan 3'],
  union: ['Unison', 'Union Dues', 'GMB', 'Unite Subs', 'Union Contribution'],
  charity: ['Give As You Earn', 'GAYE', 'Charity Giving', 'Payroll Giving'],
  ticket: ['Season Ticket', 'Travel Loan', 'Rail Loan', 'STL Repayment'],
  advance: ['Advance Recovery', 'Sub', 'Wage Advance', 'Salary Adv', 'Loan'],
  attachment: ['AEO', 'Att of Earnings', 'Council Tax AEO', 'DEO', 'Earnings Arrestment'],
  healthcare: ['Private Medical', 'Healthshield', 'BHSF', 'Simplyhealth', 'Dental Plan'],
}; // prettier-ignore
