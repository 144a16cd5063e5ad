import { withServices, type Commands } from './command.ts';

export const BANK_COMMANDS: Commands = {
  'bank list': {
    usage: '',
    does: 'lists the configured banks, what each reads and pays, and how the consent of the house account stands at its bank',
    uses: ['database', 'keys', 'bank', 'tracing'],
    run: (config, given) =>
      withServices(config, given, async (services) => (await import('./banks.ts')).listBanks(services)),
  },
  'bank connect': {
    usage: 'BANK_ID',
    does: 'prints a link at which you grant the consent of the house account in your browser; the link works once, for 30 minutes, and you must come back from the bank in the same browser',
    says: 'Open this link in your own browser before {expires_at}. Whoever has it can connect the house account:\n{url}',
    words: ['BANK_ID'],
    uses: ['database', 'keys', 'site', 'bank', 'tracing'],
    run: (config, given) =>
      withServices(config, given, async (services) =>
        (await import('./banks.ts')).connectHouse(services, { bank_id: given.words[0]! }),
      ),
  },
  'bank check': {
    usage: 'BANK_ID',
    does: 'checks the certificates for a bank, its addresses, a token and a request that changes nothing; ends with the first step that fails, with exit code 1',
    words: ['BANK_ID'],
    uses: ['database', 'keys', 'bank', 'tracing'],
    run: (config, given) =>
      withServices(config, given, async (services) =>
        (await import('./banks.ts')).checkBank(services, { bank_id: given.words[0]! }),
      ),
  },
};
