import { emailIdentity, isEmail, normaliseEmail } from './auth.ts';
import { requireNoFaults, type InputFault } from './errors.ts';

/** In Unicode code points. */
const PASSWORD_LENGTH = { least: 12, most: 256 } as const;

/** The list of common passwords uses this form. */
function passwordIdentity(password: string): string {
  return password.normalize('NFKC').toLowerCase();
}

export function passwordFaults(
  password: string,
  email: string | undefined,
  isCommon: (identity: string) => boolean,
): InputFault[] {
  const identity = passwordIdentity(password);
  const length = Array.from(password).length;
  const faults = [
    length < PASSWORD_LENGTH.least && `is ${length} characters long; it must have at least ${PASSWORD_LENGTH.least}`,
    length > PASSWORD_LENGTH.most && `is ${length} characters long; it must have at most ${PASSWORD_LENGTH.most}`,
    !password.isWellFormed() && 'contains half of a character (a lone surrogate)',
    email !== undefined &&
      emailIdentity(password) === emailIdentity(email) &&
      'is the same as the email address; choose a different password',
    isCommon(identity) && 'is a very common password; choose a less common password',
  ];
  return faults.filter((detail) => detail !== false).map((detail) => ({ pointer: '/password', detail }));
}

/** Returns the email address in its stored form. */
export function checkRegistration(
  given: { email: string; password: string },
  isCommon: (identity: string) => boolean,
): string {
  requireNoFaults(registrationFaults(given, isCommon));
  return normaliseEmail(given.email);
}

/** Checks only the fields that are present. */
export function registrationFaults(
  { email, password }: { email?: string; password?: string },
  isCommon: (identity: string) => boolean,
): InputFault[] {
  const isNone = email !== undefined && !isEmail(normaliseEmail(email));
  return [
    ...(isNone ? [{ pointer: '/email', detail: 'is not an email address' }] : []),
    ...(password === undefined ? [] : passwordFaults(password, email, isCommon)),
  ];
}

export function checkNewPassword(password: string, email: string, isCommon: (identity: string) => boolean): void {
  requireNoFaults(passwordFaults(password, email, isCommon));
}
