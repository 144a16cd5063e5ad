import { parseCookie, stringifySetCookie } from 'cookie';

/** A cookie that this host alone gets, by TLS alone, and that no script reads (RFC 6265bis, `__Host-`). */
export function hostCookie(name: string, form: RegExp) {
  const fullName = `__Host-${name}`;
  return {
    /** The cookie that a browser sent; undefined if it has another form. */
    read(cookies = ''): string | undefined {
      const value = parseCookie(cookies)[fullName];
      return value !== undefined && form.test(value) ? value : undefined;
    },
    /** The `Set-Cookie` header that gives it to a browser; `maxAge` is in seconds, until the browser is closed without it. */
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
