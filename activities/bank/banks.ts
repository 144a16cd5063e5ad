import { DomainError } from '../../domain/errors.ts';
import { DAY_MS } from '../../domain/dates.ts';
import type { Bank, ConfiguredBank, Institution } from '../../infra/bank/interface.ts';
import type { Services } from '../../infra/services.ts';
import type { BankList, ReachableBank } from '../../openapi/types.ts';

type Needs = Pick<Services, 'banks' | 'log'>;

interface InstitutionList {
  items: readonly Institution[];
  readAtMs: number;
}

/** Each process keeps the lists of its banks. After a failure, the last list stays. */
const lists = new WeakMap<Bank, InstitutionList>();

/** Reads the lists that are older than a day. @throws the first failure. */
export async function readInstitutions({ banks }: Pick<Services, 'banks'>): Promise<void> {
  const outdated = banks.all.filter(({ port }) => performance.now() - (lists.get(port)?.readAtMs ?? -DAY_MS) >= DAY_MS);
  const read = await Promise.allSettled(outdated.map(({ port }) => readList(port)));
  const failed = read.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function readList(port: Bank): Promise<InstitutionList> {
  const list = { items: await port.institutions(), readAtMs: performance.now() };
  lists.set(port, list);
  return list;
}

export async function listBanks({ banks, log }: Needs): Promise<BankList> {
  const items = banks.all.map(async (bank): Promise<ReachableBank> => {
    const list = await listOf(bank).catch(() => {
      log.warn({ bank_id: bank.bankId }, 'the institutions of a bank could not be read; it is listed without them');
      return { items: [] };
    });
    const { reads, pays } = bank.port.traits;
    return {
      bank_id: bank.bankId,
      name: bank.name,
      reads,
      pays: Object.keys(pays) as ReachableBank['pays'],
      institutions: list.items.map(({ institutionId, name }) => ({ institution_id: institutionId, name })),
    };
  });
  return { items: await Promise.all(items) };
}

async function listOf({ port }: ConfiguredBank): Promise<Pick<InstitutionList, 'items'>> {
  return lists.get(port) ?? readList(port);
}

export function requireBank({ banks }: Pick<Services, 'banks'>, bankId: string): ConfiguredBank {
  const bank = banks.find(bankId);
  if (bank) return bank;
  throw new DomainError(
    'unknown-bank',
    'There is no bank with this id. To list the banks, send GET /api/v1/bank/banks.',
  );
}

/** Undefined if the institution is unknown, or the list cannot be read. */
export async function nameOfInstitution(bank: ConfiguredBank, institutionId: string): Promise<string | undefined> {
  const list = await listOf(bank).catch(() => undefined);
  return list?.items.find((institution) => institution.institutionId === institutionId)?.name;
}

export async function requireInstitution(bank: ConfiguredBank, institutionId: string): Promise<void> {
  const list = await listOf(bank).catch(() => {
    throw new DomainError('dependency-unavailable', 'The bank does not respond. Send the same request again later.', {
      dependency: 'bank',
    });
  });
  if (list.items.some((institution) => institution.institutionId === institutionId)) return;
  throw new DomainError('unknown-institution', 'This bank has no institution with this id.');
}
