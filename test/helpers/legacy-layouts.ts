import type { Reading } from '../../domain/legacy/reading.ts';

/** Amounts are pence; null if the page lacks one. */
export interface TypedLayout {
  name: string;
  text: string;
  type?: Reading['document_type'];
  gross: number | null;
  net?: number;
  tax: number | null;
  ni?: number | null;
  pension?: number;
  employer?: string;
  period?: string;
  payDate?: string;
  taxYear?: string;
  taxCode?: string;
  /** Whether the amounts add up; true by default. */
  confirmed?: boolean;
}

export const PAYSLIPS: readonly TypedLayout[] = [
  {
    name: 'payments and deductions side by side with totals below, the employer among the deductions',
    text: `
# Marlowe Joinery Ltd

Employee   A N Other          Employee No.   1042          Pay Date   30/05/2025
Tax Code   1257L              NI Number   AB 12 34 56 C    Tax Period   Month 2

Payments              Units       Rate      Amount      Deductions                Amount
Basic Pay              1.00    2,500.00    2,500.00     PAYE Tax                  290.20
Overtime               4.00       21.50       86.00     National Insurance        123.04
                                                        Pension                   103.44
                                                        Employers NI              277.40


Total Payments                             2,586.00     Total Deductions          516.68

Taxable Pay   2,482.56                                  Net Pay                 2,069.32
`,
    gross: 258_600,
    net: 206_932,
    tax: 29_020,
    ni: 12_304,
    pension: 10_344,
    employer: 'Marlowe Joinery Ltd',
    payDate: '2025-05-30',
    taxYear: '2025-26',
    taxCode: '1257L',
  },
  {
    name: 'the year to date in the column left of the period',
    text: `
Wyndham Textiles plc                                        Pay Statement

Employee Name: J Smith          Pay Period: 01/06/2025 - 30/06/2025
Payment Date: 27 Jun 2025       Tax code: 1257L

Description                     Year To Date       This Period

Basic salary                        9,000.00          3,000.00
Car allowance                         300.00            100.00
Gross pay                           9,300.00          3,100.00

Income tax                          1,230.00            410.20
NI                                    492.24            164.08
Pension EE                            372.00            124.00
Union                                  36.00             12.00
Total deductions                    2,130.24            710.28

Net pay                             7,169.76          2,389.72
Employer NI                         1,100.00            366.66
Employer pension                      400.00            133.33
`,
    gross: 310_000,
    net: 238_972,
    tax: 41_020,
    ni: 16_408,
    pension: 12_400,
    employer: 'Wyndham Textiles plc',
    period: '01/06/2025 - 30/06/2025',
    payDate: '2025-06-27',
  },
  {
    name: 'captions over figures in strips, the year above the period',
    text: `
QUAYLE & SONS LIMITED
PAYSLIP

Name                     Employee No      NI Number        Tax Code     Tax Week     Pay Date
MISS P PATEL             88               CE123456D        1257L        14           11/07/2025

YEAR TO DATE

Gross Pay       Taxable Pay      Tax           NI           Pension
8,400.00        8,000.00         540.20        270.10       400.00

THIS PERIOD

Gross Pay       Tax           NI           Pension       Total Deductions      Net Pay
600.00          38.60         17.20        30.00         85.80                 514.20
`,
    gross: 60_000,
    net: 51_420,
    tax: 3_860,
    ni: 1_720,
    pension: 3_000,
    employer: 'QUAYLE & SONS LIMITED',
    period: 'Tax Week 14',
    payDate: '2025-07-11',
  },
  {
    name: 'earnings, taxes and deductions one below the other, each with its total and with the year',
    text: `
Greystone Dental Care Limited

Pay period     1 Apr 2025 - 30 Apr 2025
Pay date       28 Apr 2025
Tax code       S1257L M1

EARNINGS                       HOURS       RATE       THIS PAY            YTD
Ordinary hours                150.00      14.20       2,130.00       2,130.00
Holiday pay                     7.50      14.20         106.50         106.50
Total earnings                                        2,236.50       2,236.50

TAXES                                                 THIS PAY            YTD
PAYE                                                    221.00         221.00
National Insurance                                       95.08          95.08
Total taxes                                             316.08         316.08

POST-TAX DEDUCTIONS                                   THIS PAY            YTD
NEST                                                     78.82          78.82
Student loan plan 2                                      15.00          15.00
Total deductions                                         93.82          93.82

EMPLOYER CONTRIBUTIONS                                THIS PAY            YTD
Employer pension                                         51.49          51.49
Employer NI                                             270.10         270.10

NET PAY                                               1,826.60       1,826.60
`,
    gross: 223_650,
    net: 182_660,
    tax: 22_100,
    ni: 9_508,
    pension: 7_882,
    employer: 'Greystone Dental Care Limited',
    period: '1 Apr 2025 - 30 Apr 2025',
    payDate: '2025-04-28',
    taxCode: 'S1257L M1',
  },
  {
    name: 'a public body: deductions with balances, a refund of tax and two lines of pension',
    text: `
Eastmere Borough Council

Employee: Mr T Okafor           Pay Date: 15/03/2025          Period: 12

PAY AND ALLOWANCES                       AMOUNT      DEDUCTIONS                  AMOUNT      BALANCE

Basic Pay                              1,850.25      Tax                         -45.60
Weekend enhancement                      112.40      NI Contributions            73.16
                                                     LGPS Pension               113.83
                                                     LGPS AVC                    50.00
                                                     Cycle loan                  25.00       175.00

TOTAL PAYMENTS                         1,962.65      TOTAL DEDUCTIONS           216.39

                                                     NET PAY                  1,746.26
`,
    gross: 196_265,
    net: 174_626,
    tax: -4_560,
    ni: 7_316,
    pension: 16_383,
    employer: 'Eastmere Borough Council',
    payDate: '2025-03-15',
    taxYear: '2024-25',
  },
  {
    name: 'deductions with a minus in one column with the payments',
    text: `
Fenland Brewery Ltd                       Remuneration statement
For period: 01.02.2026 - 28.02.2026       Payment date: 27.02.2026

Monthly salary                                    4.000,00
Salary sacrifice cycle                              95.00-
Total gross                                       3,905.00
Tax                                                571.20-
Ee NI                                              228.56-
Ee pension                                         200.00-
Er pension                                         320.00
Net pay                                           2,905.24
Bank transfer                                     2,905.24
`,
    gross: 390_500,
    net: 290_524,
    tax: 57_120,
    ni: 22_856,
    pension: 20_000,
    employer: 'Fenland Brewery Ltd',
    period: '01.02.2026 - 28.02.2026',
    payDate: '2026-02-27',
  },
  {
    name: 'amounts with pound signs, labels cut off by their column, the word pension elsewhere',
    text: `
Company: Albion Print & Design LLP        Date: 31/10/2025
Employee: Dr B Sinclair                   Pensionable Pay: £2,000.00

Pay                        Deductions

Salary       £2,000.00     PAYE                 £190.40
                           National Insura       £76.16
                           Workplace Pensi      £100.00
                           Employer Pensio      £160.00

Gross Pay    £2,000.00     Total Deduction      £366.56

Net Pay: £1,633.44
`,
    gross: 200_000,
    net: 163_344,
    tax: 19_040,
    ni: 7_616,
    pension: 10_000,
    employer: 'Albion Print & Design LLP',
    payDate: '2025-10-31',
  },
  {
    name: 'pounds and pence in columns of their own',
    text: `
Hollis Motors Ltd           Week 14

                   £     p                          £     p
Basic Wage       412    50       Tax               33    20
Overtime          55    00       N.I.              18    04

Gross Pay        467    50       Deductions        51    24
                                 Net Pay          416    26
`,
    gross: 46_750,
    net: 41_626,
    tax: 3_320,
    ni: 1_804,
    employer: 'Hollis Motors Ltd',
    period: 'Week 14',
  },
  {
    name: 'a block of the year to date on the right, the net pay below it',
    text: `
Employee No.   Employee Name          Process Date   National Insurance Number
   7           Mrs C Davies           25/09/2025     JK123456A

Payments        Units     Rate      Amount     Deductions         Amount     Year to Date

Salary           1.00  2200.00     2200.00     PAYE Tax           230.40     Total Gross Pay TD    13200.00
Bonus            1.00   150.00      150.00     National Insurance 104.16     Gross for Tax TD      13200.00
                                               Ee Pension         117.50     Tax paid TD            1382.40
                                               Childcare           40.00     Earnings for NI TD    13200.00
                                                                             National Insurance TD   624.96
                                                                             Ee Pension TD           705.00
                                                                             Employer Pension TD     423.00



Total Gross Pay   2350.00

Jessop Electrical Ltd               Payment Method     Tax Code     Net Pay
                                    BACS               1257L        1857.94
`,
    gross: 235_000,
    net: 185_794,
    tax: 23_040,
    ni: 10_416,
    pension: 11_750,
    employer: 'Jessop Electrical Ltd',
    payDate: '2025-09-25',
  },
  {
    name: 'sums without any label but "Total", and a net pay paid by BACS',
    text: `
Thistle Hotels Limited
Payslip for November 2025

Earnings                                 Deductions

Salary                   1,900.00        Income Tax              170.20
Tips                       120.00        Employee NIC             77.76
                                         Pension Contribution     60.00

Total                    2,020.00        Total                   307.96

Net pay paid by BACS                                           1,712.04
`,
    gross: 202_000,
    net: 171_204,
    tax: 17_020,
    ni: 7_776,
    pension: 6_000,
    employer: 'Thistle Hotels Limited',
    period: 'November 2025',
  },
  {
    name: 'no pension, nothing deducted but a zero printed',
    text: `
Lomax Cafe
Pay Slip

Name: S Begum             Week Ending: 04/07/2025          Tax Code: BR

Hours   12.00      Rate   12.21
Gross Pay                146.52
PAYE Tax                   0.00
National Insurance         0.00
Total Deductions           0.00
Take Home Pay            146.52
`,
    gross: 14_652,
    net: 14_652,
    tax: 0,
    ni: 0,
    period: '04/07/2025',
    taxCode: 'BR',
  },
  {
    name: 'current and year to date columns in a summary, several employee lines with the employer beside them',
    text: `
Silverdale Software Ltd                                   Pay Advice
Employee ID 4471                                          Period Ending 31 Jul 2025

                              Employee         Employer
                        Current      YTD      Current      YTD
Gross Earnings         5,416.67  21,666.68
Tax                      931.47   3,725.88
National Insurance       278.27   1,113.08     747.50   2,990.00
Pension                  270.83   1,083.32     433.33   1,733.32
Net Pay                3,936.10  15,744.40
`,
    gross: 541_667,
    net: 393_610,
    tax: 93_147,
    ni: 27_827,
    pension: 27_083,
    employer: 'Silverdale Software Ltd',
    period: '31 Jul 2025',
  },
  {
    name: 'payments and deductions as columns of one list, sums in both',
    text: `
Penrose Garden Centres Ltd            Payslip           31 May 2025

Description                 Payments       Deductions
Basic pay                   2,000.00
Overtime                      150.00
Income tax                                     220.40
National insurance                              88.16
Pension                                         86.00
Union subscription                              12.50
Totals                      2,150.00           407.06
Net pay                                      1,742.94
`,
    gross: 215_000,
    net: 174_294,
    tax: 22_040,
    ni: 8_816,
    pension: 8_600,
    employer: 'Penrose Garden Centres Ltd',
  },
  {
    name: 'a column for the employee beside one for the employer',
    text: `
Tideway Care Homes Ltd       Payslip     Pay date 31/05/2025

Gross Pay                   2,150.00

Deductions                  Employee         Employer
PAYE                          220.40
National Insurance             88.16           190.10
Pension                        86.00           129.00

Net Pay                     1,755.44
`,
    gross: 215_000,
    net: 175_544,
    tax: 22_040,
    ni: 8_816,
    pension: 8_600,
    employer: 'Tideway Care Homes Ltd',
    payDate: '2025-05-31',
  },
  {
    name: 'two columns of amounts without any heading',
    text: `
Swift Packaging Ltd       Payslip     Pay date 31/08/2025

Gross pay          2,150.00      10,750.00
PAYE                 220.40       1,102.00
NI                    88.16         440.80
Pension               86.00         430.00
Net pay            1,755.44       8,777.20
`,
    gross: 215_000,
    net: 175_544,
    tax: 22_040,
    ni: 8_816,
    pension: 8_600,
    employer: 'Swift Packaging Ltd',
  },
  {
    name: 'a table of sums on top whose rows are the period and the year',
    text: `
Oracle HCM Statement of Earnings
Ellery Consulting Limited
                       Gross Pay     Tax        NI         Other deductions     Net Pay
Current                2,150.00      220.40     88.16      86.00                1,755.44
Year to Date           4,300.00      440.80     176.32     172.00               3,510.88

Earnings                                     Deductions
Description         Current     YTD          Description        Current     YTD
Basic Pay          2,150.00     4,300.00     PAYE                220.40     440.80
                                             NI A                 88.16     176.32
                                             Aviva Pension        86.00     172.00
`,
    gross: 215_000,
    net: 175_544,
    tax: 22_040,
    ni: 8_816,
    pension: 8_600,
    employer: 'Ellery Consulting Limited',
  },
  {
    name: 'a table whose rows are this week and to date',
    text: `
Redwood Retail Ltd     Pay slip for week ending 06/06/2025
              Gross        Tax        NI        Pension     Net
This week     450.00       41.60      16.60     11.55       380.25
To date     4,050.00      374.40     149.40    103.95     3,422.25
`,
    gross: 45_000,
    net: 38_025,
    tax: 4_160,
    ni: 1_660,
    pension: 1_155,
    employer: 'Redwood Retail Ltd',
    period: '06/06/2025',
  },
  {
    name: 'dashes for nothing deducted',
    text: `
Beacon Foods Ltd
Pay Advice           Pay Date 30 Apr 2025         Tax code 1257L

                     This Period      Year to Date
Gross Pay                 900.00            900.00
Tax                            -                 -
National Insurance             -                 -
Pension                    36.00             36.00
Total Deductions           36.00             36.00
Net Pay                   864.00            864.00
`,
    gross: 90_000,
    net: 86_400,
    tax: 0,
    ni: 0,
    pension: 3_600,
    employer: 'Beacon Foods Ltd',
    payDate: '2025-04-30',
    taxCode: '1257L',
  },
  {
    name: 'pension given up from pay, the net pay on top and the year in a line below',
    text: `
Kestrel Logistics plc
Mr A Rossi                                     NET PAY      £1,998.12
Month 4 - July 2025                            Payment date 31 July 2025

Your pay                          Your deductions
Salary              2,500.00      Income tax (1257L)        290.40
Less: pension salary sacrifice -125.00     National insurance (A)     86.48
                                  Student loan (Plan 2)      0.00

Total gross pay     2,375.00      Total deductions          376.88

Your year to date
Taxable pay         9,500.00      Tax paid      1,161.60     National insurance   345.92
`,
    gross: 237_500,
    net: 199_812,
    tax: 29_040,
    ni: 8_648,
    employer: 'Kestrel Logistics plc',
    payDate: '2025-07-31',
  },
  {
    name: 'period and year in one row of payments and deductions',
    text: `
# Acme Widgets Limited
Payslip                                          Pay date: 28/11/2025

Description         Hours     Rate     Current     Year to date     Deduction          Current     Year to date
Basic                                 2,000.00        16,000.00     PAYE tax            190.40         1,523.20
                                                                    Employee NI          76.16           609.28
                                                                    Employee pension     80.00           640.00
                                                                    Employer pension    120.00           960.00
Total pay                             2,000.00        16,000.00     Total               346.56         2,772.48

                                                                    Net pay           1,653.44
`,
    gross: 200_000,
    net: 165_344,
    tax: 19_040,
    ni: 7_616,
    pension: 8_000,
    employer: 'Acme Widgets Limited',
    payDate: '2025-11-28',
  },
  {
    name: 'captions of the employer and of numbers in one row, and the period and the year as rows under captions',
    text: `
Information
Name                    Company                          Employee ID          Period Begin         Payment Date
Joan Tarrant            Bellweather Crafts Ltd           00417788             01/06/2025           30/06/2025

Totals
                         Hours            Gross Pay           Employee Taxes          Deductions          Net Pay
Current                                    2,600.00                   434.56              130.00         2,035.44
YTD                                        7,800.00                 1,303.68              390.00         6,106.32

Earnings                                                     Employee Taxes
Description                   Amount              YTD        Description                Amount              YTD
Basic pay                   2,600.00         7,800.00        Income Tax                 310.40           931.20
                                                             National Insurance         124.16           372.48
                                                             Total                      434.56         1,303.68

                                                             Employer Paid Benefits
Deductions                                                   Description                Amount              YTD
Description                   Amount              YTD        National Insurance         327.54           982.62
Pension                       130.00           390.00        Pension                    104.00           312.00
`,
    gross: 260_000,
    net: 203_544,
    tax: 31_040,
    ni: 12_416,
    pension: 13_000,
    employer: 'Bellweather Crafts Ltd',
    payDate: '2025-06-30',
  },
  {
    name: 'deductions with a minus, the year in small under each figure, a block of what the employer also paid',
    text: `
   Joan, here is your payslip for June 2025
   From Bellweather Crafts Ltd

   Net pay this period
   £2,018.44

   Payments
       Basic pay                                              £2,600.00
                                                          YTD £7,800.00
       Total gross payments                                   £2,600.00
                                                          YTD £7,800.00

   Deductions
       Tax deducted                                            -£310.40
                                                            YTD £931.20
       National Insurance deducted                             -£124.16
                                                            YTD £372.48
       Pension (you)                                           -£130.00
                                                            YTD £390.00
       Cycle loan                                               -£17.00
                                                             YTD £51.00
       Total taken from your pay                               -£581.56
                                                          YTD £1,744.68

   Your employer also paid
       National Insurance                                       £327.54
                                                            YTD £982.62
       Pension                                                  £104.00
                                                            YTD £312.00

   Tax code 1257L        NI number JK123456A
`,
    gross: 260_000,
    net: 201_844,
    tax: 31_040,
    ni: 12_416,
    pension: 13_000,
    employer: 'Bellweather Crafts Ltd',
  },
];

export const CERTIFICATES: readonly TypedLayout[] = [
  {
    name: 'the form P60',
    type: 'p60',
    text: `
# P60 End of Year Certificate
Tax year to 5 April 2025
Employee's details
Surname                                Forenames or initials
Green                                  Bethan
National Insurance number              Works/payroll number
JK123456A                              42

Pay and Income Tax details
                                       Pay                  Tax deducted
In previous employment(s)              4,200.00             310.20
In this employment                     23,456.78            2,175.40
Total for year                         27,656.78            2,485.60
Final tax code     1257L

National Insurance contributions in this employment
NIC letter      Earnings at LEL      Earnings above LEL      Earnings above PT      Employee's contributions
A               6396                 6174                    9800                   784.00
C               1000                 0                       0                      16.50

Statutory payments included in the pay 'In this employment' figure above
Statutory Maternity Pay     1,200.00

Employer's full name and address
Barker & Lomax LLP
12 Mill Lane
Employer PAYE reference
123/AB456
`,
    gross: 2_345_678,
    tax: 217_540,
    ni: 80_050,
    employer: 'Barker & Lomax LLP',
    period: 'Tax year to 5 April 2025',
    taxYear: '2024-25',
    taxCode: '1257L',
  },
  {
    name: 'the form P45 with boxes for pounds and pence',
    type: 'p45',
    text: `
# P45 Part 1A
Details of employee leaving work
Copy for employee

1   Employer PAYE reference              7   Last entries on Payroll record
    123/AB456                            Week number        Month number   5
2   Employee's National Insurance number
    JK123456A                            Total pay to date      £   10432   17
4   Leaving date                         Total tax to date      £     985   40
    29   08   2025
6   Tax code at leaving date             8   This employment pay and tax
    1257L
                                         Employer name and address
                                         Copperfield Motors Ltd
                                         7 Station Road
`,
    gross: 1_043_217,
    tax: 98_540,
    employer: 'Copperfield Motors Ltd',
    payDate: '2025-08-29',
    taxYear: '2025-26',
    taxCode: '1257L',
    confirmed: false,
  },
  {
    name: 'an older form P60 whose employments stand side by side',
    type: 'p60',
    text: `
P60 End of Year Certificate                                                                             Tax Year to 5 April 2014
Employee's surname             Forenames or initials             National Insurance number             Works/payroll number
TARRANT                        JOAN                              JK123456A                             881

Previous employment(s)                    This employment                               Total for year
(if shown on P45)                         (figures to be used for a tax return)
Pay         £   p   Tax deducted  £   p   Pay           £   p   Tax deducted  £   p     Pay           £   p   Tax deducted  £   p
        4200   10               310  20             18311   45              1640  60              22511   55              1950  80

National Insurance contributions in this employment
NIC         Earnings at the     Earnings above the    Employee's contributions
letter      LEL                 LEL                   above the PT    £   p
                         1a                    1b                        1c
A                      5668                  1000                  704   11
H                      1200                   300                   88   02

Employer's full name and address (including postcode)                  Employer PAYE reference
Bellweather Crafts Ltd                                                 174/ZB0847
`,
    gross: 1_831_145,
    tax: 164_060,
    ni: 79_213,
    employer: 'Bellweather Crafts Ltd',
    taxYear: '2013-14',
  },
  {
    name: 'a form P45 whose boxes stand far right of their text',
    type: 'p45',
    text: `
Details of employee leaving work                                                                      P45 Part 1A
4    Leaving date (in figures)                                             29     08     2025

7    Last entries on Deductions Working Sheet (P11)                        Week  21      Month
                                                                                        £     p
     Total pay to date                                                              10432   17
                                                                                        £     p
     Total tax to date                                                                985   40
8    This employment pay and tax. No entry is needed if Week 1
                                                                                        £     p
     Total pay in this employment                                                    8000   15
                                                                                        £     p
     Total tax in this employment                                                     700   20

13   Employer's name, address and postcode                                 Tarrant's of Wexmoor
                                                                           7 Station Road
`,
    gross: 1_043_217,
    tax: 98_540,
    employer: "Tarrant's of Wexmoor",
    payDate: '2025-08-29',
    confirmed: false,
  },
];
