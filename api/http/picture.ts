import type { AnyCall } from './operations.ts';

const SVG = 'image/svg+xml';

/** What an answer that is also there as a picture varies by. */
export const VARIES = { Vary: 'Accept' } as const;

/** Whether the caller would rather look than read. @throws DomainError `not-acceptable` when it takes neither JSON nor SVG. */
export function wantsPicture(accepts: AnyCall['accepts']): boolean {
  return accepts(['application/json', SVG]) === SVG;
}

/** A picture that may do nothing but be looked at. */
export function picture(svg: string) {
  const headers = { ...VARIES, 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" };
  return { status: 200, contentType: SVG, raw: svg, headers } as const;
}
