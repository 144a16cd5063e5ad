// Loaded before anything else of a program in the image, most of whose start is the loading of its modules.
import { starting } from '../process/starting.ts';

starting();
