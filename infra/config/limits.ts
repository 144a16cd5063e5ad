import type { Settings } from './settings.ts';

/** How often something may be tried before it is refused for a while. */
export interface LimitsConfig {
  /** Per address and minute: register, sign-in, forgotten password, reset. */
  credentialsPerMinute: number;
  /** Per address and minute: token, refresh, authorize and their like. */
  tokensPerMinute: number;
  /** Requests of one API key, and of one person, once they are known; per process. */
  keyPerMinute: number;
  personPerMinute: number;
  /** Per account and network address, in the window. */
  failedLogins: number;
  /** Per account, from everywhere that never signed in to it. */
  failedLoginsEverywhere: number;
  failedLoginWindowS: number;
  /** Per vault reference and hour. */
  vaultWrongAnswers: number;
  /** Letters with a link of one kind per account and hour. */
  resetMailsPerHour: number;
  /** Documents in 24 hours. */
  ownerDocumentsPerDay: number;
  appDocumentsPerDay: number;
}

export function readLimits(setting: Settings): LimitsConfig {
  const perMinute = { least: 1, most: 1_000_000 };
  return {
    credentialsPerMinute: setting.count('LIMIT_CREDENTIALS_PER_MINUTE', 20, perMinute),
    tokensPerMinute: setting.count('LIMIT_TOKENS_PER_MINUTE', 120, perMinute),
    keyPerMinute: setting.count('LIMIT_KEY_PER_MINUTE', 6_000, perMinute),
    personPerMinute: setting.count('LIMIT_PERSON_PER_MINUTE', 600, perMinute),
    failedLogins: setting.count('LIMIT_FAILED_LOGINS', 10, { least: 1, most: 1_000 }),
    failedLoginsEverywhere: setting.count('LIMIT_FAILED_LOGINS_EVERYWHERE', 100, { least: 1, most: 10_000 }),
    failedLoginWindowS: setting.count('LIMIT_FAILED_LOGIN_WINDOW_S', 900, { least: 1, most: 86_400 }),
    vaultWrongAnswers: setting.count('LIMIT_VAULT_WRONG_ANSWERS', 10, { least: 1, most: 1_000 }),
    resetMailsPerHour: setting.count('LIMIT_RESET_MAILS_PER_HOUR', 5, { least: 1, most: 1_000 }),
    ownerDocumentsPerDay: setting.count('LIMIT_OWNER_DOCUMENTS_PER_DAY', 200, { least: 1, most: 1_000_000 }),
    appDocumentsPerDay: setting.count('LIMIT_APP_DOCUMENTS_PER_DAY', 1_000, { least: 1, most: 10_000_000 }),
  };
}
