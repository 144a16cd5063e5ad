// The image loads this module before all others of a program, because loading modules takes most of the start time.
import { starting } from '../process/starting.ts';

starting();
