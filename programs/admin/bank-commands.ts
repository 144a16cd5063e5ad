import { withServices, type Commands } from './command.ts';

export const BANK_COMMANDS: Commands = {
  'bank list': {
    usage: '',
    does: 'lists the configured banks, what each reads and pays, and how the consent of the house account stands at its bank',
    uses: ['database', 'keys', 'bank', 'tracing'],
    run: (config, given) =>
      withServices(config, given, async (services) => (await import('./banks.ts')).listBanks(services)),
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
