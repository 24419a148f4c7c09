import { Type } from 'typebox'
import { Id, oneOf, text } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { createSpace, updateSpace, findSpace, listSpaces, deleteSpace, replaceSpace } from './queries.ts'
import { Space, SpaceInput, SpacePatch, spaceStatuses } from './space.ts'

const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name', 'status'),
  q: Type.Optional(text(255, 'Part of the name.')),
  account_id: anyOf(Id),
  status: anyOf(oneOf(...spaceStatuses)),
  country: anyOf(text(2)),
  city: anyOf(text(255)),
}

export const spaceRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/spaces',
      name: 'space',
      record: Space,
      query,
      input: SpaceInput,
      patch: SpacePatch,
      list: listSpaces,
      find: findSpace,
      create: createSpace,
      replace: replaceSpace,
      update: (scope, id, expected, patch) =>
        updateSpace(scope, id, expected, (current) => ({ ...current, ...patch })),
      delete: deleteSpace,
    })

    // Existing integrations read spaces as properties.
    registerResource(app, cursorKeys, {
      path: '/properties',
      name: 'property',
      tag: 'spaces',
      record: Space,
      query,
      list: listSpaces,
      find: findSpace,
    })
  }
