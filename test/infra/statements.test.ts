import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instructionIds, paymentsNamedIn } from '../../infra/bank/obie-4.0/identifiers.ts';
import { readStatement } from '../../infra/statements/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-statement-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string, account = '20-30-40 12345678') {
  const file = join(folder, 'statement');
  await writeFile(file, text);
  return readStatement(file, account);
}

const amounts = async (text: string) =>
  (await read(text)).entries.map(({ amount, bookedOn }) => `${bookedOn} ${amount}`);
const PAID = ['2026-11-03 -95000', '2026-11-04 123456'];

test.each([
  ['one amount', 'Date,Description,Amount\n03/11/2026,RENT,-950.00\n4 Nov 2026,PAY,"1,234.56"\n'],
  [
    'debit and credit',
    'Posting Date;Details;Paid out;Paid in\r\n2026-11-03;RENT;£950.00;\r\n04-Nov-26;PAY;;1234.56\r\n',
  ],
  ['an indicator', 'Date\tNarrative\tAmount\tDR/CR\n3.11.2026\tRENT\t950\tDR\n2026-11-04T09:00\tPAY\t1234.56\tCR\n'],
  [
    'what stands above the heads, and what is pending',
    'My account\n\nDate,Name,Amount,State\n03/11/2026,"a ""b"", c",(950.00),Booked\n04/11/2026,x,1234.56,COMPLETED\n05/11/2026,x,-1.00,Pending\n05/11/2026,x,-1.00,REVERTED\n',
  ],
])('a CSV file is read with %s', async (_case, text) => {
  expect(await amounts(text)).toEqual(PAID);
});

test.each(['', '-', '45678'])('no statement is of the account "%s"', async (account) => {
  await expect(read('Date,Amount,Account\n2026-11-03,-1,12345678\n', account)).rejects.toThrow('whole number or IBAN');
});

test.each([
  ['a date in the American order', 'Date,Amount\n11/23/2026,-1\n', 'Line 2 has a date'],
  ['an amount of three decimals', 'Date,Amount\n2026-11-03,-1.234\n', 'Line 2 has an amount'],
  ['two amounts', 'Date,Amount,Debit,Credit\n2026-11-03,-1,1,\n', 'several columns'],
  ['a debit that is a credit too', 'Date,Debit,Credit\n2026-11-03,1,2\n', 'both a debit and a credit'],
  ['a debit that is taken back', 'Date,Debit,Credit\n2026-11-03,1,\n2026-11-03,-1,\n', 'with and without a minus'],
  ['a status that nobody knows', 'Date,Amount,Status\n2026-11-03,-1,Maybe\n', 'Line 2 does not say clearly whether it'],
  ['amounts without a sign', 'Date,Amount\n2026-11-03,950\n', 'No amount is negative'],
  ['no heads', '2026-11-03,950\n', 'no row with the heads'],
  ['another account', 'Date,Amount,Account number\n2026-11-03,-1,87654321\n', 'of another account'],
  ['an account of which nothing can be read', 'Date,Amount,Account\n2026-11-03,-1,****\n', 'of another account'],
  ['broken XML', '<Document><BkToCstmrStmt>', 'no well-formed XML'],
  ['an entity of its own', '<!DOCTYPE d [<!ENTITY e "x">]><Document>&e;</Document>', 'no well-formed XML'],
  [
    'XML that is nested deeply',
    `<D><BkToCstmrStmt><Stmt><Acct><Id><IBAN>1${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}</IBAN></Id></Acct></Stmt></BkToCstmrStmt></D>`,
    'nested too deeply',
  ],
  ['a million columns', `Date,Amount\n${','.repeat(1_000_000)}`, 'No amount is negative'],
  ['XML of another kind', '<Document><Other/></Document>', 'no statement in the form camt.053'],
])('a file with %s is refused', async (_case, text, words) => {
  await expect(read(text)).rejects.toThrow(words);
});

const ID = 'pay_0197f1a0-1111-7222-8333-444455556666';

test('a camt.053 gives what is booked in pounds, each payment of a batch, and the ids and names of each', async () => {
  const { endToEndId } = instructionIds(ID, 2);
  const entry = (more: string, { ccy = 'GBP', status = '<Cd>BOOK</Cd>', amount = '950.00' } = {}) =>
    `<Ntry><Amt Ccy="${ccy}">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>${status}</Sts>
     <BookgDt><Dt>2026-11-03</Dt></BookgDt><AcctSvcrRef>BANK-1</AcctSvcrRef>${more}</Ntry>`;
  const part = (amount: string, about: string) => `<TxDtls><Amt Ccy="GBP">${amount}</Amt>${about}</TxDtls>`;
  const about = `<Refs><EndToEndId>${endToEndId}</EndToEndId></Refs><RltdPties><Cdtr><Pty><Nm>Example Housing</Nm></Pty></Cdtr></RltdPties>`;
  const { entries } = await read(
    `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
     <Acct><Id><IBAN>GB33BUKB20304012345678</IBAN></Id></Acct>
     ${entry(`<NtryDtls><TxDtls>${about}</TxDtls></NtryDtls>`)}${entry('', { status: '<Cd>PDNG</Cd>' })}${entry('', { ccy: 'EUR' })}
     ${entry('<RvslInd>true</RvslInd>', { status: 'BOOK', amount: '1' }).replace('DBIT', 'CRDT')}
     ${entry(`<NtryDtls>${part('1.50', about)}${part('2.50', '<RmtInf><Ustrd>GAS</Ustrd></RmtInf>')}</NtryDtls>`, { amount: '4.00' })}
     </Stmt></BkToCstmrStmt></Document>`,
  );
  expect(entries.map(({ amount }) => amount)).toEqual([-95_000, 100, -150, -250]);
  expect(entries[0]).toEqual({
    ...{ amount: -95_000, bookedOn: '2026-11-03', bankReference: 'BANK-1' },
    texts: [endToEndId, 'Example Housing'],
  });
  expect(entries.map(({ texts }) => texts.flatMap(paymentsNamedIn))).toEqual([[ID], [], [ID], []]);
});

test('a text names the payments whose ids stand in it, and no others', () => {
  const { instructionId, endToEndId } = instructionIds(ID, 1);
  expect(paymentsNamedIn(`FPS ${endToEndId.toLowerCase()}, ref ${instructionId}`)).toEqual([ID]);
  expect(paymentsNamedIn(`X${endToEndId} ${'Z'.repeat(25)}A1 ${endToEndId}00`)).toEqual([]);
});
