import { parseCookie, stringifySetCookie } from 'cookie';

/** A cookie that browsers send only to this host and only over TLS, and hide from scripts (RFC 6265bis, `__Host-`). */
export function hostCookie(name: string, form: RegExp) {
  const fullName = `__Host-${name}`;
  return {
    read(cookies = ''): string | undefined {
      const value = parseCookie(cookies)[fullName];
      return value !== undefined && form.test(value) ? value : undefined;
    },
    /** `maxAge` is in seconds. Without `maxAge`, the cookie lasts until the browser closes. */
    set: (value: string, maxAge?: number): string =>
      stringifySetCookie({
        name: fullName,
        value,
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'lax',
        ...(maxAge === undefined ? {} : { maxAge }),
      }),
  };
}
