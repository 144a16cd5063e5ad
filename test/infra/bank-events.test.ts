import { pino } from 'pino';
import type { BankEvent } from '../../domain/bank/payments.ts';
import { startBankEvents } from '../../infra/background/bank-events.ts';
import { BankError, type ConfiguredBank } from '../../infra/bank/interface.ts';
import { banksWith, silentBank } from '../helpers/banks.ts';
import { until } from '../helpers/until.ts';

test('each bank that reports events is polled, and an event is acknowledged once it is stored', async () => {
  let open: BankEvent[] = [
    { eventId: 'accounts', kind: 'consent', consentRef: 'consent-1', what: 'accounts-changed' },
    { eventId: 'stranger', kind: 'payment', bankPaymentId: 'vrp-1' },
  ];
  const log: string[] = [];
  const reporting = {
    ...silentBank(),
    events: ({ acknowledge }: { acknowledge: readonly string[] }) => {
      log.push(...acknowledge.map((id) => `acknowledged ${id}`));
      open = open.filter(({ eventId }) => !acknowledge.includes(eventId));
      return Promise.resolve(open);
    },
  };
  const asked: number[] = [];
  const away = {
    ...silentBank(),
    events: () => (asked.push(Date.now()), Promise.reject(new BankError('away', 'The bank is away.'))),
  };
  const banks = banksWith(away);
  const all = [...banks.all, { ...banks.all[0]!, bankId: 'other', port: reporting } satisfies ConfiguredBank];
  let stored = false;
  const events = startBankEvents(
    { banks: { ...banks, all }, log: pino({ level: 'silent' }), restoring: { isNone: () => Promise.resolve(true) } },
    {
      recordBankEvent: (news) => Promise.resolve(log.push(JSON.stringify(news)) > 0),
      recordConsentEvent: (news) => {
        log.push(JSON.stringify(news));
        if (stored) return Promise.resolve(true);
        stored = true;
        return Promise.reject(new Error('the database is away'));
      },
    },
  );
  await until(() => log.includes('acknowledged accounts') && asked.length > 2, 'the event to be acknowledged');
  await events.stop();
  const news = '{"bank_id":"other","consent_ref":"consent-1","what":"accounts-changed"}';
  expect(log.filter((line) => line.includes('accounts'))).toEqual([news, news, 'acknowledged accounts']);
  expect(log).toContain('{"bank_id":"other","bank_payment_id":"vrp-1"}');
  expect(log).toContain('acknowledged stranger');
  // A bank that is away is asked less and less often.
  expect(asked[2]! - asked[1]!).toBeGreaterThan(900);
});
