import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { MAC_KINDS, VERIFY_PARTS } from '../../domain/frozen-strings.ts';

/** Labels must not contain ids, addresses or amounts, so that each label has few values. */
export type Metrics = ReturnType<typeof createMetrics>;

/** The buckets are in seconds. */
const REQUEST_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const STATEMENT_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];
const DOCUMENT_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120];
const PAYMENT_BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 7_200, 43_200, 86_400, 259_200];

/** `part` is `api`, `worker` or `admin`. */
export function createMetrics(part: string) {
  const registry = new Registry();
  const make = maker(registry);
  make
    .gauge('process_info', 'Always 1. The label part says which part of the service this process runs.', ['part'])
    .set({ part }, 1);
  const lost = 'Log lines that could not be written, for example because the disk was full.';
  return {
    registry,
    gauge: make.gauge,
    logLinesLost: make.counter('log_lines_lost_total', lost),
    ...ofRequests(make),
    ...ofMoney(make),
    ...ofWork(make),
    ...ofDependencies(make),
  };
}

/** Prometheus sees no increase in the first count of a label. */
function fromZero<Label extends string>(counter: Counter<Label>, label: Label, values: readonly string[]) {
  for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0);
  return counter;
}

export function watchProcess({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry });
}

type Maker = ReturnType<typeof maker>;

function maker(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter<Label>({ name: `ringfence_${name}`, help, labelNames, registers }),
    /** prom-client calls `collect` before each read. */
    gauge: <Label extends string = never>(
      name: string,
      help: string,
      labelNames: Label[] = [],
      collect: () => void = () => undefined,
    ) => new Gauge<Label>({ name: `ringfence_${name}`, help, labelNames, collect, registers }),
    histogram: <Label extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      labelNames: Label[] = [],
    ) => new Histogram<Label>({ name: `ringfence_${name}`, help, buckets, labelNames, registers }),
  };
}

function ofRequests({ counter, gauge, histogram }: Maker) {
  const counted =
    'Requests that have ended, by operation. The status "gone" means that the caller closed the connection early.';
  const timed =
    'Time from the first line of a request to the end of its response. With held="yes", the service held the response on purpose.';
  const held =
    'Memory that this process holds for its callers: connections, bodies that are not handled yet, and responses that are not sent yet.';
  const closed =
    'Connections that the API closed because others needed their memory, or because the caller did not read its response (unread).';
  const once =
    'Requests with an Idempotency-Key: new (first), repeated (replayed), repeated while still running (in-use), or different from the first request with the same key (reused).';
  return {
    requests: counter('http_requests_total', counted, ['operation', 'method', 'status']),
    requestSeconds: histogram('http_request_duration_seconds', timed, REQUEST_BUCKETS, ['operation', 'status', 'held']),
    requestsInFlight: gauge('http_requests_in_flight', 'Requests for which this process is preparing a response.'),
    refusals: counter('http_refusals_total', 'Requests answered with an error, by code.', ['code']),
    heldBytes: gauge('held_bytes', held),
    connections: gauge('connections', 'Open connections of callers.'),
    connectionsClosed: counter('connections_closed_total', closed, ['reason']),
    rateLimited: counter('rate_limited_total', 'Requests refused because of a rate limit, by limit.', ['limit']),
    idempotent: counter('idempotent_requests_total', once, ['outcome']),
  };
}

function ofMoney({ counter, gauge, histogram }: Maker) {
  const events = 'Payments by event, counted after the commit.';
  const completion =
    'Time from a payment request until the payment completes. Only for payments without execute_on that complete at the first attempt.';
  const journeys = 'Journeys of people to their bank, by outcome, counted after the commit.';
  const syncs = 'Syncs of connections to people’s banks that are over, by outcome.';
  const rows =
    'Transactions that syncs stored (new), or could not use (refused). A refused one counts in each sync that reads it.';
  const wages = 'Wages that syncs recognised in people’s accounts, by what became of them.';
  const paydays = 'Paydays that are over: done, or with attention because the wage could not be split.';
  const bills = 'Bills of paydays, by outcome: paid, or why the payday left the bill out.';
  const reconciled =
    'Payments that were found in the account that paid (matched), or that need an operator, by the problem there.';
  const vaults = 'Vaults that this process handled in interest runs, by outcome.';
  return {
    payments: counter('payments_total', events, ['event']),
    paymentSeconds: histogram('payment_completion_seconds', completion, PAYMENT_BUCKETS),
    bankJourneys: counter('bank_journeys_total', journeys, ['outcome']),
    bankSyncs: counter('bank_syncs_total', syncs, ['outcome']),
    bankRows: counter('bank_rows_total', rows, ['kind']),
    bankWages: counter('bank_wages_total', wages, ['status']),
    paydays: counter('paydays_total', paydays, ['outcome']),
    paydayBills: counter('payday_bills_total', bills, ['outcome']),
    reconciliations: counter('reconciliations_total', reconciled, ['outcome']),
    yieldVaults: counter('yield_vaults_total', vaults, ['outcome']),
    yieldRunVaults: gauge('yield_run_vaults', 'Vaults in the last interest run that began in this process.'),
  };
}

function ofWork({ counter, gauge, histogram }: Maker) {
  const deliveries = 'Outbox messages sent to Temporal, by outcome.';
  const read = 'Time to read a document, including the wait for a free reader, by outcome.';
  const checkpoint = 'When the newest checkpoint was written.';
  const verified = 'When `verify` last ended, with or without faults.';
  const credentials = 'Credentials that were issued, revoked or verified, by event.';
  return {
    outboxDeliveries: counter('outbox_deliveries_total', deliveries, ['kind', 'outcome']),
    letters: counter('letters_total', 'Attempts to pass an email to the mail server, by outcome.', ['outcome']),
    documentSeconds: histogram('document_read_duration_seconds', read, DOCUMENT_BUCKETS, ['outcome']),
    readerStarts: counter('document_reader_starts_total', 'Starts of the process that reads documents.'),
    readerFaults: counter('document_reader_faults_total', 'Documents that crashed the reader.'),
    credentials: counter('credentials_total', credentials, ['event']),
    checkpointLast: gauge('checkpoint_last_timestamp_seconds', checkpoint),
    verifiedLast: gauge('verified_last_timestamp_seconds', verified),
  };
}

function ofDependencies({ counter, gauge, histogram }: Maker) {
  const bank = 'Duration of calls to a bank, by outcome. The call `events` waits for events on purpose.';
  const certificate = 'When this process’s client certificate for a bank expires.';
  const keys = 'Time to encrypt or decrypt data, including calls to the key service, by outcome.';
  const tampering =
    'What something other than the service changed: rows whose MAC does not fit, and what `verify` found, by kind.';
  const restoring = 'Whether the database is one that was restored, and no operator has released it: 1 or 0.';
  const witnessed = 'When the folder CHECKPOINTS last got the counter that shows a restored database.';
  const failures = 'Database statements that failed, by module.';
  const durations =
    'Duration of database statements, by module. Outside a transaction, this includes the wait for a connection.';
  return {
    bankCallSeconds: histogram('bank_call_duration_seconds', bank, CALL_BUCKETS, ['bank', 'call', 'outcome']),
    bankCertificateExpires: gauge('bank_certificate_expires_timestamp_seconds', certificate, ['bank']),
    restoring: gauge('restoring', restoring),
    witnessedAt: gauge('witnessed_timestamp_seconds', witnessed),
    keyCallSeconds: histogram('key_service_call_duration_seconds', keys, CALL_BUCKETS, ['call', 'outcome']),
    tampering: fromZero(counter('tampering_total', tampering, ['what']), 'what', [...MAC_KINDS, ...VERIFY_PARTS]),
    statements: counter('database_statements_total', 'Executions of each prepared statement.', ['statement']),
    statementTotalSeconds: counter(
      'database_statement_seconds_total',
      'Total time that the executions of each prepared statement took.',
      ['statement'],
    ),
    // A histogram for each statement would create too many time series.
    statementSeconds: histogram('database_statement_duration_seconds', durations, STATEMENT_BUCKETS, ['module']),
    statementFailures: counter('database_statement_failures_total', failures, ['module']),
  };
}
