import type { Services } from '../infra/services.ts';
import { issueApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './auth/api-keys.ts';
import { createApplication, listApplications } from './auth/applications.ts';
import { authenticate } from './auth/authenticate.ts';
import { createClient } from './auth/clients.ts';
import { login } from './auth/login.ts';
import { getProfile, logout, updateProfile } from './auth/profile.ts';
import { refreshTokens } from './auth/refresh.ts';
import { prepareRegistration } from './auth/register.ts';
import { bind } from './bind.ts';

const people = { prepareRegistration, login, refreshTokens, authenticate };
const profiles = { getProfile, updateProfile, logout };
const programs = { createApplication, listApplications, createClient };
const keys = { issueApiKey, listApiKeys, rotateApiKey, revokeApiKey };

export const authActivities = (services: Services) => bind(services, { ...people, ...profiles, ...programs, ...keys });
