import { defineSearchAttributeKey } from '@temporalio/common';

/** Search attributes by which operators find workflows in Temporal's Web UI. */
export const OWNER = defineSearchAttributeKey('RingfenceOwner', 'KEYWORD');
export const MODULE = defineSearchAttributeKey('RingfenceModule', 'KEYWORD');
export const STATUS = defineSearchAttributeKey('RingfenceStatus', 'KEYWORD');
export const ATTENTION = defineSearchAttributeKey('RingfenceAttention', 'BOOL');
