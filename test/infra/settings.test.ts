import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../infra/config/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringfence-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function refusalOf(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toMatchObject({ constructor: ConfigError, exitCode: 78 });
    return (error as ConfigError).message;
  }
  return 'none';
}

describe('a setting', () => {
  test.each([
    ['DATABASE_POOL_SIZE', '4', 'a whole number from 5 to 1000'],
    ['DATABASE_POOL_SIZE', '1001', 'a whole number from 5 to 1000'],
    ['DATABASE_POOL_SIZE', '1e2', 'a whole number from 5 to 1000'],
    ['RINGFENCE_PORT_API', '0', 'a whole number from 1 to 65535'],
    ['KEY_SERVICE', 'vault', 'one of file, transit'],
    ['TEMPORAL_TLS', 'TRUE', 'one of true, false'],
    ['WORKER_LOOPS', 'relay,post', 'some of relay, bank-events, mail, upkeep, witness, separated by commas, or none'],
    ['YIELD_RATE_SAVINGS', '1.01', 'a decimal from 0 to 1 with at most 6 decimal places, such as 0.0410'],
    ['YIELD_RATE_SAVINGS', '0.0410001', 'a decimal from 0 to 1 with at most 6 decimal places, such as 0.0410'],
    ['RINGFENCE_TRUSTED_PROXIES', '10.0.0.0/33', 'addresses or networks such as 10.0.0.0/8, separated by commas'],
  ])('%s refuses %s and says what is valid', (name, value, takes) => {
    const correct = `Correct the value, or unset ${name} to use the default.`;
    expect(refusalOf({ [name]: value })).toBe(`${name} is "${value}", but must be ${takes}. ${correct}`);
  });

  test.each([
    ['DATABASE_URL', 'mysql://ringfence:a-password@localhost/ringfence', 'postgresql:// or postgres://'],
    ['DATABASE_URL', 'ringfence:a-password', 'postgresql:// or postgres://'],
    ['BANK_URL', 'http://a-password@bank.example', 'https://'],
    ['SMTP_URL', 'http://a:a-password@mail.example', 'smtp:// or smtps:// and has no parameters'],
    ['SMTP_URL', 'smtp://a:a-password@mail.example?pool=true', 'smtp:// or smtps:// and has no parameters'],
  ])('%s refuses %s without printing it', (name, value, begins) => {
    expect(refusalOf({ [name]: value })).toBe(`${name} is not a URL that begins with ${begins}.`);
  });

  test('may be in the file NAME_FILE, which is ignored if NAME is set', () => {
    const file = join(folder, 'size');
    writeFileSync(file, ' 30\n');
    expect(readConfig({ DATABASE_POOL_SIZE_FILE: file }).database.poolSize).toBe(30);
    expect(readConfig({ DATABASE_POOL_SIZE_FILE: file, DATABASE_POOL_SIZE: '40' }).database.poolSize).toBe(40);
    const nowhere = join(folder, 'nowhere');
    expect(refusalOf({ DATABASE_POOL_SIZE_FILE: nowhere })).toBe(
      `DATABASE_POOL_SIZE_FILE names ${nowhere}, which cannot be read (ENOENT).`,
    );
  });

  test('that defaults to another setting follows this setting', () => {
    const { bank, keys } = readConfig({ BANK_URL: 'https://bank.example//', RINGFENCE_DATA: '/somewhere/' });
    const [direct, aggregator] = bank.entries;
    expect([bank, direct]).toMatchObject([{ url: 'https://bank.example' }, { issuer: 'https://bank.example' }]);
    expect(aggregator).toMatchObject({ auth_url: 'https://bank.example/truelayer/auth' });
    expect(keys.masterKeyFile).toBe('/somewhere/keys/master.json');
  });

  test('with a default that depends on another default has none if the other is set', () => {
    expect(readConfig({}).database.migrationUrl).toBe('postgresql://ringfence:ringfence@localhost:5443/ringfence');
    expect(readConfig({ DATABASE_URL: 'postgresql://db.example/a' }).database.migrationUrl).toBeUndefined();
    expect(readConfig({ VAULT_CLIENT_CA: '/own.crt' }).api.vaultClientCaKey).toBeUndefined();
  });

  test.each([
    ['WORKER_DEPLOYMENT_NAME', 'WORKER_BUILD_ID'],
    ['TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY'],
  ])('of a pair must not be set alone: %s, %s', (first, second) => {
    const both = `${first} and ${second} belong together. Set both, or neither.`;
    expect(refusalOf({ TEMPORAL_TLS: 'true', [first]: 'a' })).toBe(both);
    expect(refusalOf({ TEMPORAL_TLS: 'true', [second]: 'a' })).toBe(both);
    expect(refusalOf({ TEMPORAL_TLS: 'true', [first]: 'a', [second]: 'b' })).toBe('none');
  });

  test('of an unused group cannot be read, even beside used groups of the same part', () => {
    const config = readConfig({}, 'api');
    expect(config.temporal.namespace).toBe('default');
    // @ts-expect-error -- The type of the API's configuration lacks the settings that the API does not use.
    expect(config.temporal.uiUrl).toBeUndefined();
    // @ts-expect-error -- The same holds for this one.
    expect(config.mail).toBeUndefined();
  });
});
