import type { MonthOfPayments } from '../../domain/credential.ts';
import type { Credential } from '../../openapi/types.ts';
import type { SigningPair } from './cms.ts';
import type { Document, Element } from './document.ts';

/** Plain data that can be sent to a thread. */
export interface CredentialPdfInput extends Credential {
  /** Whom it is about, for people to read. */
  holder: string;
  /** A URL. */
  issuer: string;
  /** From 1 to 37 calendar months, oldest first. */
  months: readonly MonthOfPayments[];
  verify_url: string;
  sd_jwt: string;
  signing: SigningPair;
}

export interface Sheet {
  document: Document;
  input: CredentialPdfInput;
  root: Element;
  /** The left edge and the width of the printed area, in points. */
  left: number;
  width: number;
}
