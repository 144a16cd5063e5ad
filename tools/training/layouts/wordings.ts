import type { Random } from '../../payslips/random.ts';

/* The layouts for measuring are by people who have not read these wordings. */
const list = (text: string): readonly string[] =>
  text
    .split(/[|\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');

export const WORDINGS = {
  gross:
    list(`Gross Pay|Total Gross Pay|Gross|Total Payments|Total Pay|Total Earnings|Gross Earnings|Gross Wage|Gross Wages|Gross Salary|Gross Payment|Total Gross
    Gross Pay This Period|Gross for Period|Gross Pay Period|Total Pay and Allowances|Total Additions|Total Entitlements|Gross Amount|Pay Before Deductions|Pay before tax
    Gross Income|Total Income|Total Salary|Earnings Total|Payments Total|Pay Total|Amount Earned|What you earned|You earned|Total Emoluments|Gross Remuneration|Gross Total
    Total Gross Payment|Total Wages|Gross Pay (A)|A. Gross pay|GROSS|Tot. Gross|Gr. Pay|Gross Py|Total Taxable and Non-Taxable Pay|Earnings before deductions|Total before deductions
    Your gross pay|Gross pay for this job|Subtotal gross|Total Hours and Pay|Total of Payments|Sum of payments|Total elements|Gross due|Total value of pay|Wage before stoppages|Before deductions
    Your pay before anything comes off|Full pay|Total additions to pay|Total pay elements|Gross pension|Pension before tax|Total due before deductions|Pay earned|Basic + extras|Total payment due|Gross before tax|Total pay before deductions|Amount before stoppages|Gross month|Gross week|Gross fortnight|Total gross remuneration|Gross pay and allowances|Total additions due|You have earned|Pay before all deductions|Salary before deductions|Total wage|Gross period pay|Gross earnings paid|Pension before deductions|Wages total|Total amount earned|Gross Pmts|Salary total|Amount you earned|Gross for the month|Gross for month|Gross this week|Total pay due|Total remuneration|What you have earned`),
  net: list(`Net Pay|Net|NET PAY|Total Net Pay|Net Payment|Net Wage|Net Wages|Net Salary|Take Home Pay|Take home|Take-home pay|Your take home pay|Amount Payable|Amount Paid|Net Amount|Net Amount Payable
    Net Pay This Period|Net Payable|Net Earnings|Net Income|Total Net|Net to bank|Paid to bank|Paid into your bank|Paid into bank|Amount paid into your account|Bank Transfer|BACS|BACS Payment|Paid by BACS
    Bank Credit|Credit Transfer|Net Pay to Bank|Net pay by BACS|Pay to bank|Payment|Payment Amount|Total paid|Total payable|Balance payable|Balance Due|Net due|Amount due|Amount Due to You|You receive|You will receive
    What you get|You take home|Money in your pocket|Pay after deductions|After deductions|Left to pay|To be paid|Net cash|Cash|Cheque|Net remuneration|Final Pay|Net pay (A - B)|C. Net pay|Nett Pay|Nett|NETT PAY|Nt Pay|N E T  P A Y
    Amount credited|Amount sent to your bank|Transferred to account|Net Transfer|Your pay|You've been paid|Paid to you|Net pension|Net Pension Paid|Paid on this date|In your account|Total net payment this period|Wage to draw|To bank account|What lands in your account|Net pay into account|Pay now|Net credited|Net sent to your account|Left to you|Balance to pay|Amount to be paid|Amount left to pay|You were paid|We paid you|We sent you|You'll get|What you will receive|Actual pay|Final payment|Net due to employee|Net wage paid|Going into your bank account|Net total|Total transferred|Credited to your account|Net pension payable|Pay by cheque|Cash payment|Net pay via BACS|Earnings after deductions|Home pay|Wages due|We have paid you|Net amount due|Sent to your bank|We pay you|Net paid|Net pay for period|Amount transferred|You will be paid|You got|Amount banked|Pay after tax|Left to pay you`),
  tax: list(`Tax|PAYE|PAYE Tax|Income Tax|PAYE Income Tax|Tax Paid|Tax Deducted|Income Tax (PAYE)|Tax (PAYE)|PAYE Deduction|Tax Deductions|PAYE Tax Deducted|Tax Due|Inc Tax|Inc. Tax|I. Tax|Income tax paid|UK Tax|UK PAYE Tax|Scottish Income Tax
    Welsh Income Tax|Total Tax|PAYE Paid|Tax PAYE|Tax this period|PAYE This Period|HMRC Tax|Tax Payable|Tax Taken|Period Tax|Tax 1257L|PAYE tax 1257L|Income tax - 1257L|Tax Code 1257L tax|PAYE (1257L)|Tax (1257L/0)|Pay As You Earn|P.A.Y.E.|PAYE.|Taxation|Deduct: Tax|Less tax|Less PAYE
    Tax on pay|Tax to HMRC|Income Tax this month|Employee Tax|Tax Month|Paye tax adj|Income Tax Deduction|TAX PD|Tx|tax - paye|S PAYE|Statutory Tax|Tax at basic rate|Tax withheld|HMRC PAYE|Total PAYE|Tax contribution|Period PAYE|PAYE due|PAYE payable|PAYE contribution|Income tax due|PAYE income tax deducted|Tax deducted this period|P A Y E|Welsh PAYE|Tax and PAYE|Your tax|Your income tax|Tax you paid|Tax on this pay|PAYE (emergency)|Tax Month 1 basis|Income Tax - PAYE|PAYE (Income Tax)|Tax (PAYE) paid|I/Tax|P. A. Y. E.`),
  ni: list(`NI|National Insurance|Nat Ins|Nat. Ins.|N.I.|NIC|NICs|Employee NI|Employee's NI|EE NI|NI EE|Employee NIC|Ees NI|NI Contribution|NI Contributions|National Insurance Contribution|National Insurance Contributions|Nat Insurance|National Ins|Nat Ins A|NI A|NI (A)|NI - A|NI Cat A|National Insurance (A)|NI Category A
    National Insurance EE|Ee's NIC|NI Paid|NI Deducted|Employee National Insurance|Employee's National Insurance|NI Employee|National Insurance - Employee|Nat.Ins|Natl Insurance|Natl. Insurance|N.I. Contribution|N.I.C.|NI Conts|NI Contr|NI Due|Class 1 NI|Primary NI|Class 1 NIC|NI this period|NI Deduction
    NI Table A|National Insurance A|NI EE A|NI Letter A|EES NIC|EE NIC|NI'able contribution|Your NI|Your National Insurance|NI Tax|Nat Ins Employee|Less NI|Less National Insurance|Natl Ins Cont|NAT INS|National lnsurance|NI Ees|NI contribs|NATIONAL INS EE|Class 1 National Insurance|Primary Class 1|Total NI|PAYE NI|NI payable|NI Class 1|N I|N. I.|NIEE|NI-EE|Emp NI|Nat. Insurance contribution|National Insurance paid|Your NICs|NI contributions you paid|NIC Primary|Social insurance (NI)|E'ee N.I.C.|E.E. N.I.|National Insurance (NIC)|National Insurance Contributions (NICs)|National Insurance - NI|Nat. Ins. (NI)|NI (NIC)|National Insurance (EES)|N.I. (EES)|N..C.|Nat Ins (Employee)|Primary Class 1 NICs|Emp. NI|Your NI contribution`),
  pension:
    list(`Pension|Pension Contribution|Employee Pension|Pension EE|EE Pension|Ee Pension|Employee Pension Contribution|Pension Contributions|Workplace Pension|Auto Enrolment Pension|AE Pension|NEST|NEST Pension|Nest EE|NEST Employee|Pension Scheme|Company Pension Scheme|Group Pension|Stakeholder Pension|Personal Pension
    LGPS|LGPS Pension|LGPS Main|LGPS Contribution|Local Govt Pension|NHS Pension|NHS Pension 9.8%|NHSPS|NHS Pension Scheme|Teachers Pension|Teachers' Pension|TPS|TP Contributions|USS|USS Pension|Civil Service Pension|Alpha Pension|Superannuation|Superann|Super'n|Pension 5%|Pension (5%)|Pens 5.0%|Pen Conts|Pens. Cont.
    Aviva Pension|Royal London|Legal & General Pension|Scottish Widows|Standard Life Pension|People's Pension|The Peoples Pension|Smart Pension|NOW: Pensions|Aegon Pension|Scottish Widows Pen|Zurich Pension|Fidelity Pension|Pension Ees|Ees Pension|Pension Employee|Employee's Pension|Your pension|Your pension contribution|Pension paid|Less Pension
    Pension Deduction|Pension Salary Sacrifice|Sal Sac Pension|Salary Sacrifice Pension|Pension Sacrifice|Smart Pension EE|GPP Contribution|GPPP|Group Personal Pension|Master Trust Pension|DC Pension|DB Pension|Pension - DC|Pension Plan|Retirement Plan|Retirement Savings|Pension Fund|Pen Fund|Firefighters Pension|Police Pension|Police Pension 2015|Pension Net Pay|Pension RAS|Pension relief at source
    Cushon Pension|Penfold|Mercer Pension|TPT Pension|SHPS|RPS Pension|Railways Pension|PENSION EES|pensn|Penison|Pension A/E|Workplace pension ee|Defined Contribution Pension|Pension EE Cont|Additional pension contribution|Occ Pension|Pension (EE)|Collegia Pension|Creative Pension Trust|MyCSP alpha|alpha|Nuvos|Classic Plus|Premium scheme|Partnership pension|Career Average|CARE scheme|BRASS|FPS 2015|Friends Life pension|Prudential|Hargreaves Lansdown SIPP|B and CE|Annuity contribution|Provident fund|Pension Builder|Pens Ees|Supn|SUPANN|SUPN ADDL CONTS|Superan. contribs|Smart Retire|Future Savings Plan|Retirement Account|Pot for later|Old age savings|Scheme contribution|Member contribution|Ees contribution 5%|Your contribution to pension|Cushon|Master Trust|SAUL|Retirement|Mercer|Zurich|Penfold Pot|Pension Sal Sac|Pension Salary Exchange|Salary Exchange Pension|SS Pension|Smart Pens|CSP|PCSPS|Scheme Pension|Pension Deduct|Pens|Pen|Pension Cont'n|Ret Fund|L&G|Aviva|NOW|Nest Pen|Royal London Pen|Phoenix|SIPP|Lothian Pension Fund|GMPF|WYPF|Superan|Super|Fidelity|Defined Contribution|Defined Benefit|Company Pension|True Potential|Salvus|Railpen|Money Purchase|Saver account|Retirement savings|Retirement Saver|Smart|SHPS DC|Creative|Options Pension|Workers Pension Trust|Scottish Widows WP|LGPS 50/50|LGPS contribution post 1|LGPS, both posts|NHSPS 2015|TPS Career Average|Net pay arrangement`),
  avc: list(
    `AVC|AVCs|AVC Pension|Additional Voluntary Contribution|Pension AVC|Prudential AVC|Pension Additional|FSAVC|Added Pension|APC|Added Years|Extra pension|Voluntary pension contribution|Pension Top Up|Shared cost AVC|Pension 2|AVC Fund|Add Vol Pension|Added pension|Alpha EPA|CSAVC|LGPS APC|AVC 2|EPA|Alpha Added|Add'l voluntary contributions|Vol Pens|Extra Pension Conts|Added Yrs|A.V.C.|AVC Prudential|Standard Life AVC|Utmost AVC`,
  ),
  deductions:
    list(`Total Deductions|Deductions|Total Deducted|Deductions Total|Gross Deductions|Total of deductions|Total Stoppages|Tot Deductions|Tot. Ded'ns|Total Deduct|Total Ded|Less Deductions|Total taken off|Taken off|Total Tax and Deductions|B. Total deductions|Total Deductions (B)|Deductions this period|Total Deductions from Pay|Total less
    Total Reductions|Sum of deductions|Total withheld|Total amount deducted|What was taken off|TOTAL DEDUCTIONS|All deductions|Less: total deductions|Your deductions|Total deductns|Amount deducted|Total off your pay|Total stoppages this period|Deductions total|Total taken from your pay|What we took|Total deducted from pay|Gross stoppages|Total withheld from pay|Total off|In total taken off|Deductions in all`),
  total: list(`Total|TOTAL|Totals|Sub Total|Subtotal|Total this period|Total £|Tot`),
  payment:
    list(`Basic Pay|Basic Salary|Salary|Basic|Monthly Salary|Monthly Pay|Contractual Pay|Hourly Pay|Standard Hours|Normal Hours|Basic Hours|Hours Worked|Ordinary Hours|Overtime|Overtime 1.5|O/Time @ 1.5|Overtime x 1.5|Overtime at Time and a Half|Double Time|Bonus|Annual Bonus|Performance Bonus|Commission|Sales Commission|Holiday Pay|Annual Leave|WTD Hol Pay|Sick Pay|SSP|Statutory Sick Pay|Stat Sick Pay|SMP|Statutory Maternity Pay|SPP|Statutory Paternity Pay|ShPP|Statutory Adoption Pay
    Shift Allowance|Night Premium|Night Enhancement|Weekend Enhancement|Saturday Enhancement|Sunday Premium|Unsocial Hours|On Call|Standby|Call Out|Car Allowance|London Weighting|High Cost Area Supplement|Location Allowance|Arrears|Back Pay|Pay Arrears|Backdated Pay|First Aid Allowance|Responsibility Allowance|TLR 2A|Acting Up|Retention Premium|Tips|Tronc|Service Charge|Mileage|Expenses|Business Expenses|Travel|Subsistence|Tool Allowance
    Lump Sum|Redundancy|PILON|Notice Pay|Honorarium|Expenses reimbursed|Homeworking Allowance|Benefit in Kind|Telephone Allowance|Clothing Allowance|Salary Adjustment|Unpaid Leave|Absence|Holiday bought|Cycle to Work Sacrifice|Childcare Vouchers Sacrifice|Salary Sacrifice|Bike Scheme|Sal Sac EV|Regular pay|Piece work|Day Rate|Assignment Rate|Training|Drivers hours|State Pension top up|Annuity|Monthly pension|Increase`),
  other: list(
    `Student Loan|Student Loan Plan 1|Student Loan Plan 2|Student Loan (Plan 4)|Stud Loan|SL|SLR|Postgraduate Loan|PG Loan|Union|Union Subs|Union Dues|UNISON|Unite the Union|GMB|RCN|USDAW|NASUWT|NEU Subscription|Charity|Give As You Earn|Payroll Giving|GAYE|Season Ticket Loan|Season Ticket|Advance|Salary Advance|Pay Advance|Advance Recovery|Overpayment|Overpayment Recovery|Attachment of Earnings|AEO|Attach of Earnings|CMS|Child Maintenance|DEO|Council Tax Order|Court Order|Arrestment of Earnings|Direct Earnings Attachment|Healthcare|BUPA|Private Medical|Health Plan|Simplyhealth|Medicash|Dental Plan|Cycle Scheme|Cycle to Work|Childcare Vouchers|Parking|Car Park Permit|Canteen|Meals|Rent|Accommodation|Uniform|Laundry|Tools|Lottery|Staff Lottery|Social Club|Sports Club|Tea Fund|Gym|Gym Membership|Share Save|SAYE|Sharesave|SIP|Credit Union|Savings|Holiday Fund|Loan|Loan Repayment|Company Loan|Staff Purchases|Till Shortage|Xmas Club|Christmas Club|Apprenticeship Levy|Umbrella Margin|Company Margin|Benevolent Fund|Life Cover|Critical Illness|Income Protection|Fuel|Private Mileage|Car Salary Sacrifice|EV Lease|Technology Scheme|DBS Fee|Training Costs|Key Deposit|Phone|Unpaid leave deduction|Earnings arrestment|Widows and Orphans|Police Federation|Vol deduction|Benenden Health|Westfield Health|Share save scheme|Mileage recovery|Technology scheme|White goods scheme|DBS check|Till shortage|Breakages|Benevolent fund|Christmas club|Holiday purchase|Buy leave|Lateness|Unpaid absence|Rounding adjustment|Training bond|Hardship loan|Phone scheme|Optical plan|Life insurance|Margin|Bus pass|Rail pass|CMEO|CSA|Arrestment|Postgrad loan|Fines|Nursery|Kit charge|Donation|Benenden|Cycle to Work|Health Assured|Season loan|Car lease|Fuel card|Savings Club|Credit Union Loan|Staff purchases|Dinner money|Flowers fund|Clothing|Keys deposit|RAC|Sports & Social`,
  ),
  employersNi: list(
    `Employer NI|Employers NI|Employer's NI|Employer NIC|Er NI|ER NI|NI ER|Ers NI|NI Employer|Employer National Insurance|Employer's National Insurance|Employer's NIC|Ers NIC|Er's NIC|National Insurance (Employer)|NI Er Cont|Secondary NI|Company NI|NIC Employer|Employer NI Contribution|Emp'r NI|Ers Nat Ins|EMPLOYER NIC|E'er N.I.C.|Co. NI|E.R. NI|Employer Class 1|NI secondary|NIER|Nat Ins Er`,
  ),
  employersPension: list(
    `Employer Pension|Employers Pension|Employer's Pension|Employer Pension Contribution|Er Pension|ER Pension|Pension ER|Ers Pension|Pension Employer|NEST Employer|NEST ER|LGPS Employer|NHS Pension Employer|Employer Contribution|Company Pension Contribution|Pension (Employer)|Pension paid by employer|Employer's pension contribution|Ers Pen|Er Pens|Company Pension|Workplace Pension Employer|Employer pension cost|Aviva Employer|E.R. Pension|GPP Employer Contribution|Co. Pension|Er Collegia|Employer Smart Pension|Employer's NEST|Er contribution 3%|Employer superannuation|Pension (ER)|Er Superann`,
  ),
  employersOther: list(
    `Employer Apprenticeship Levy|Employer costs|Total cost to employer|Employer total|Total Employer Cost|Employer benefits|Life assurance (employer)|Total cost of employment|Total package|Employer Medical`,
  ),
  base: list(
    `Taxable Pay|Taxable Gross|Gross for Tax|Taxable Gross Pay|Taxable Earnings|Tax Gross|Pay for Tax|Taxable|NI'able Pay|Niable Pay|NI Gross|Gross for NI|NIable Earnings|NI'able Earnings|Earnings for NI|Pensionable Pay|Pensionable Earnings|Pensionable Salary|Pens. Pay|Tax free pay|Free Pay|Non-Taxable|NI Earnings|Subject to tax|Subject to NI|Qualifying Earnings|Student Loan Pay|Holiday Pay Accrued|Annual Salary|Salary per annum|FTE Salary|Full-time salary|Salary Rate|Scale Salary|Contract Salary|Annual Rate|Hourly Rate|Rate of Pay|Pay Rate|NMW Rate|Basic Rate|Earnings above LEL|Personal allowance|Tax allowance|LEL|PT|UEL|Previous Taxable Pay|Average Weekly Pay|Pensionable Remuneration|Assignment value|Company income|Total invoice|Contract rate|Sum from agency`,
  ),
  pensionPaid: list(
    `Pension|Monthly Pension|Pension Payment|Basic Pension|Pension in Payment|Annual Pension Increase|Pensions Increase|GMP|Widow's Pension|Dependant's Pension|Pension Arrears|Supplementary Pension|Lump Sum Pension|Level Pension|Pre 97 Pension|Spouse's Pension|Gross Pension`,
  ),
  year: list(
    `Year to Date|YTD|Y.T.D.|This Year|Tax Year to Date|Year To-Date|Cumulative|Cumulatives|Cumulative Totals|Totals to Date|Total to date|To Date|TD|T/D|Year|Balances|Year to Date Totals|Y-T-D|Year so far|So far this year|This tax year|Total for tax year|Balance to date|This employment YTD|Since 6 April|Accumulated|YTD Totals|YTD Amount|YTD Value|Year total|Totals This Year|Amount YTD|Cum.|Brought forward + this period|Running total|Totals this tax year|THIS EMPLOYMENT CUMULATIVES|Tax year totals|Year totals|Balances to date|YTD balances|Earnings for the year|Totals for the tax year|Tax year 2025/26 to date|Tax year 2026/27 so far|Position to date|Carried forward|Since April|From start of tax year|Year's figures|Annual totals|Totals since 6 April 2026`,
  ),
  last: list(
    `Last Month|Previous|Last Period|Prior Period|Previous Period|Last Week|Last time|Previous Month|Prev|Last pay|Brought Forward|B/Fwd|Carried over|Last pay|Earlier period|Prior month|Previous payslip|Before|Last month's|Month before|Previous Month|Previous period|Prior|Last wk`,
  ),
  now: list(
    `This Period|Amount|Current|This Month|This Week|Current Period|This Pay|Period|Value|Amount (£)|£|Payment|Cash|This Payslip|Pounds|Total|Amount £|Now|Current Amount|In this period|This time|Period amount`,
  ),
  payments: list(
    `Payments|Earnings|Pay|Pay and Allowances|Additions|Description|Pay Elements|Gross Pay Details|Income|What you earned|Entitlements|Details of Pay|PAYMENTS|Pay Details|Your Pay|Money in|Payment Type|Remuneration|Hours and Pay|Element`,
  ),
  deducted: list(
    `Deductions|Stoppages|DEDUCTIONS|Less|Deduction Type|Deductions from Pay|What we took off|Money out|Taken off|Your Deductions|Statutory Deductions|Taxes and Deductions|Tax and Deductions|Employee Deductions|Less Deductions|Withheld|Reductions`,
  ),
  employersHead: list(
    `Employer Contributions|Employer|Employer's Contributions|Employer Costs|Paid by your employer|What your employer pays|Employer Payments|Company Contributions|ER Contributions|Employer Info|Cost to Employer|Employers|We also paid for you|Employer Charges|Company costs|Er Costs|Your employer adds|Your employer also paid|Contributed by your employer|Employer puts in|What it costs your employer|Employer gives|Er only|Paid on your behalf|Employer extras|From your employer|E.R.|Er|ER's|Emp'r|Employer Share|Employer pays|Firm|The Company`,
  ),
  basisHead: list(
    `Base|Basis|Calculated on|Worked out on|Due on|Based on|On|Earnings|Assessed on|Taxable on|Pay for this|Relevant pay|Charged on|Amount liable|Subject pay`,
  ),
  units: list(`Units|Hours|Qty|Quantity|Hrs|Days|No.|Unit|Hrs/Days|W/U|Hours/Units`),
  rate: list(`Rate|Unit Rate|Pay Rate|£/hr|Rate £|Factor|Rate per unit|@|Price`),
  title: list(
    `Payslip|Pay Slip|PAYSLIP|Pay Advice|Salary Slip|Wage Slip|Wages slip|Your payslip|Pay Statement|Statement of Earnings|Earnings Statement|My Payslip|PAY ADVICE|Salary Advice|Payslip - Private and Confidential|Remittance advice of pay|Pension Payslip|Pension Payment Advice|Employee Payslip|Pay summary|Slip cyflog|Tâl|Slip Cyflog / Payslip|Weekly payslip|Monthly Pay Advice|Itemised Pay Statement`,
  ),
  periodLabel: list(
    `Pay Period|Period|Pay period|Period Covered|Payroll Period|Period Dates|Pay Period Dates|For period|For the period|Period of Pay|Earnings Period|Payment Period|Wage period|Pay run period|Period worked|Covering|Pay period covering|Salary period|Work period|Earned between|Hours worked between|Payslip period|Pay cycle|Pay run|Dates covered|Period of payment|This pay covers|Earnings from`,
  ),
  periodEnd: list(
    `Period Ending|Period End|Week Ending|Month Ending|Period End Date|Pay Period End|W/E|Week ended|Period ended|PE Date|Ending|For period ending|Pay Week Ending|4 weeks ending|Wk Ending|Fortnight ending|2 weeks ended|Wk/End|Mth End|Period to|Pay end date|Up to|Pay up to|Paid to|Period ended on|Wages to`,
  ),
  monthLabel: list(
    `Month|Pay Month|Payslip for|Period|Pay Period|For|Salary for|Pay for|Pay for the month of|Month of|Pay advice for|Payslip for the month of|Wages for|Salary month|Month/Year|Payroll month|Month paid|Pay for month|Month name|Run|Payroll run|Pay run|Salary period|For the month`,
  ),
  numberLabel: list(
    `Tax Period|Period|Month|Week|Tax Month|Tax Week|Period No|Period No.|Period Number|Tax Period No|Week No|Month No|Pay Period|Tax Wk|Week Number|PAYE Period|Payroll Period|Tax Per|Pay Period Number|Mth|Wk|Wage week|Pay week|Pay Week No|Payroll Week|Payroll Month|Wk No.|Mth No|PERIOD NO|TAX PERIOD NO|Tax Month No`,
  ),
  dateLabel: list(
    `Pay Date|Payment Date|Date|Date Paid|Date of Payment|Paid On|Pay Day|Process Date|Payday|Date of Pay|Payroll Date|BACS Date|Paid|Pay date|Date of credit|Payable on|Processing date|Credit Date`,
  ),
  codeLabel: list(
    `Tax Code|Code|Tax code|TAX CODE|Tax Code / Basis|PAYE Code|Your tax code|Code No.|Tax Code:|Tax Cd|Code Number`,
  ),
  referenceLabel: list(
    `PAYE Ref|PAYE Reference|Employer PAYE Reference|Tax Ref|Tax Office Ref|Employer's PAYE Ref|HMRC Ref|Employer Ref|Tax Reference|ER PAYE Ref|PAYE Scheme|Tax District / Ref|Employers PAYE Ref|Tax Dist/Ref|HMRC office number and reference`,
  ),
  employerLabel: list(
    `Employer|Employer Name|Company|Company Name|Employer's name|Organisation|Company:|Your employer|Legal entity|Employer name and address|Business|Paid by|Employed by|Name of employer|Trading name|From|Company name`,
  ),
  personLabel: list(
    `Employee Name|Name|Employee|Emp Name|Full Name|Employee's Name|Surname / Initials|Payee|Paid to|Person|Dear|Worker|Member|Private & Confidential`,
  ),
} as const satisfies Record<string, readonly string[]>;

export type Wording = keyof typeof WORDINGS;

const WELSH: Partial<Record<Wording, readonly string[]>> = {
  gross: ['Cyflog Gros', 'Cyfanswm Taliadau', 'Tâl Gros'],
  net: ['Cyflog Net', 'Tâl Net', 'Swm Net'],
  tax: ['Treth', 'Treth Incwm', 'TWE'],
  ni: ['Yswiriant Gwladol', 'YG', 'Yswir. Gwladol'],
  pension: ['Pensiwn', 'Cyfraniad Pensiwn'],
  deductions: ['Cyfanswm Didyniadau', 'Didyniadau'],
  year: ['Blwyddyn hyd yma', 'Cyfanswm hyd yma', 'Hyd Yma'],
  now: ['Y mis hwn', 'Swm', 'Cyfnod hwn'],
  payments: ['Taliadau', 'Enillion'],
  deducted: ['Didyniadau'],
  dateLabel: ['Dyddiad Talu'],
  codeLabel: ['Cod Treth'],
  periodLabel: ['Cyfnod Tâl'],
  employersHead: ['Cyfraniadau Cyflogwr'],
  base: ['Tâl Trethadwy'],
};

export interface Speech {
  say(wording: Wording): string;
}

const CASES = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
  (text: string) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase(),
  (text: string) => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
] as const;

export function speech(random: Random): Speech {
  const cased = random.weighted([[0, 58], [1, 14], [2, 6], [3, 14], [4, 8]]); // prettier-ignore
  const isWelsh = random.chance(0.05);
  const isWelshFirst = random.chance(0.5);
  const between = random.pick([' / ', '/', ' ', ' - ']);
  const ending = random.weighted([['', 70], [':', 18], [' :', 4], [' £', 4], [' (£)', 4]]); // prettier-ignore
  return {
    say(wording) {
      const english = CASES[cased]!(slip(random, abbreviated(random, random.pick(WORDINGS[wording]))));
      const welsh = isWelsh ? WELSH[wording] : undefined;
      const other = welsh === undefined ? undefined : CASES[cased]!(random.pick(welsh));
      const both =
        other === undefined ? english : isWelshFirst ? `${other}${between}${english}` : `${english}${between}${other}`;
      return /[:£]$/.test(both) || english.length < 2 ? both : `${both}${ending}`;
    },
  };
}

function abbreviated(random: Random, text: string): string {
  if (!random.chance(0.05)) return text;
  const words = text.split(' ');
  const at = random.int(0, words.length - 1);
  const word = words[at]!;
  if (word.length < 6) return text;
  words[at] = word.slice(0, random.int(3, word.length - 2)) + random.pick(['', '.']);
  return words.join(' ');
}

function slip(random: Random, text: string): string {
  if (!random.chance(0.03) || text.length < 6) return text;
  const at = random.int(1, text.length - 2);
  return random.pick([
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
    text.slice(0, at) + text.charAt(at) + text.slice(at),
  ]);
}
