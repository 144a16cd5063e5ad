import type { AnyCall } from './operations.ts';

const SVG = 'image/svg+xml';

/** The header of responses that are also available as a picture. */
export const VARIES = { Vary: 'Accept' } as const;

/** Whether the caller prefers SVG to JSON. @throws DomainError `not-acceptable` if the caller accepts neither. */
export function wantsPicture(accepts: AnyCall['accepts']): boolean {
  return accepts(['application/json', SVG]) === SVG;
}

/** An SVG response whose content security policy forbids scripts and frames. */
export function picture(svg: string) {
  const headers = { ...VARIES, 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" };
  return { status: 200, contentType: SVG, raw: svg, headers } as const;
}
