// Loads before any other module of a program in the image, because loading modules takes most of its start.
import { starting } from '../process/starting.ts';

starting();
