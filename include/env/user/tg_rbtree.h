/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ordered tree under the kernel's rbtree names, for user space.
 *
 * The core inserts, erases, and asks for the first node; it never looks at a node's colour.
 * So any balanced tree serves behind these names, and this one is an AVL tree: the two sides
 * of a node differ in height by one level at most, and which one is deeper is kept beside its
 * parent's address. Callers use rb_add_cached(), or descend and link a leaf with rb_link_node() and
 * call rb_insert_color_cached(), as in the kernel.
 */
#ifndef TG_RBTREE_H
#define TG_RBTREE_H

struct rb_node {
	uintptr_t up;		/* parent | lean; itself: it is in no tree (RB_CLEAR_NODE) */
	union {
		struct {
			struct rb_node *rb_left, *rb_right;
		};
		struct rb_node *side[2];
	};
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

#define RB_ROOT_CACHED		((struct rb_root_cached) { { NULL }, NULL })
#define rb_entry(p, type, m)	container_of(p, type, m)
#define RB_EMPTY_NODE(node)	((node)->up == (uintptr_t)(node))
#define RB_CLEAR_NODE(node)	((node)->up = (uintptr_t)(node))

/* Which side of a node is deeper: none, or DEEPER(side). Side 0 is the left one. */
#define AVL_EVEN		0
#define AVL_DEEPER(s)		((s) + 1u)
#define AVL_LEAN		3u

static inline struct rb_node *avl_parent(const struct rb_node *node)
{
	return (struct rb_node *)(node->up & ~(uintptr_t)AVL_LEAN);
}

static inline u32 avl_lean(const struct rb_node *node)
{
	return node->up & AVL_LEAN;
}

static inline void avl_set_lean(struct rb_node *node, u32 lean)
{
	node->up = (uintptr_t)avl_parent(node) | lean;
}

static inline void avl_set_parent(struct rb_node *node, struct rb_node *parent)
{
	node->up = (uintptr_t)parent | avl_lean(node);
}

/* Hang @node, which may be NULL, on side @s of @parent. */
static inline void avl_hang(struct rb_node *node, struct rb_node *parent, u32 s)
{
	parent->side[s] = node;
	if (node)
		avl_set_parent(node, parent);
}

/* Put @node, which may be NULL, where @old hangs. */
static inline void avl_replace(struct rb_root *root, struct rb_node *old, struct rb_node *node)
{
	struct rb_node *parent = avl_parent(old);

	if (parent)
		parent->side[parent->rb_right == old] = node;
	else
		root->rb_node = node;
	if (node)
		avl_set_parent(node, parent);
}

/*
 * Side @s of @top is two levels deeper than the other: turn it to the top.
 * Return: the new top; it leans if the whole is as high as before.
 */
static inline struct rb_node *avl_turn(struct rb_root *root, struct rb_node *top, u32 s)
{
	struct rb_node *deep = top->side[s], *inner = deep->side[!s];
	struct rb_node *up = avl_lean(deep) == AVL_DEEPER(!s) ? inner : deep;
	u32 lean = avl_lean(up);

	avl_replace(root, top, up);
	if (up == inner) {
		avl_hang(inner->side[s], deep, !s);
		avl_hang(deep, inner, s);
		avl_set_lean(deep, lean == AVL_DEEPER(!s) ? AVL_DEEPER(s) : AVL_EVEN);
		avl_set_lean(top, lean == AVL_DEEPER(s) ? AVL_DEEPER(!s) : AVL_EVEN);
		avl_set_lean(inner, AVL_EVEN);
	} else {
		avl_set_lean(top, lean ? AVL_EVEN : AVL_DEEPER(s));
		avl_set_lean(deep, lean ? AVL_EVEN : AVL_DEEPER(!s));
	}
	avl_hang(up->side[!s], top, s);
	avl_hang(top, up, !s);
	return up;
}

static inline struct rb_node *rb_next(const struct rb_node *node)
{
	const struct rb_node *parent;

	if (node->rb_right) {
		node = node->rb_right;
		while (node->rb_left)
			node = node->rb_left;
		return (struct rb_node *)node;
	}
	while ((parent = avl_parent(node)) && node == parent->rb_right)
		node = parent;
	return (struct rb_node *)parent;
}

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	node->up = (uintptr_t)parent | AVL_EVEN;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

static inline void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
					  bool leftmost)
{
	struct rb_node *parent;

	if (leftmost)
		root->rb_leftmost = node;
	/* The subtree at node has grown by a level. */
	for (; (parent = avl_parent(node)); node = parent) {
		u32 s = parent->rb_right == node, lean = avl_lean(parent);

		if (lean == AVL_DEEPER(s)) {
			avl_turn(&root->rb_root, parent, s);
			return;
		}
		avl_set_lean(parent, lean ? AVL_EVEN : AVL_DEEPER(s));
		if (lean)
			return;
	}
}

/* After all that are not greater; @less(@node, another) tells. */
static inline void rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
				 bool (*less)(struct rb_node *node, const struct rb_node *other))
{
	struct rb_node **link = &root->rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (less(node, parent)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(node, parent, link);
	rb_insert_color_cached(node, root, leftmost);
}

static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	struct rb_node *from = avl_parent(node);
	u32 s = from && from->rb_right == node;

	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);
	if (node->rb_left && node->rb_right) {
		struct rb_node *heir = node->rb_right;

		while (heir->rb_left)
			heir = heir->rb_left;
		from = avl_parent(heir);
		s = from == node;
		avl_replace(&root->rb_root, heir, heir->rb_right);
		avl_replace(&root->rb_root, node, heir);
		avl_set_lean(heir, avl_lean(node));
		avl_hang(node->rb_left, heir, 0);
		avl_hang(node->rb_right, heir, 1);
		if (from == node)
			from = heir;
	} else {
		avl_replace(&root->rb_root, node, node->rb_left ? node->rb_left : node->rb_right);
	}
	/* Side s of from has lost a level. */
	while (from) {
		u32 lean = avl_lean(from);

		if (lean == AVL_DEEPER(!s))
			from = avl_turn(&root->rb_root, from, !s);
		else
			avl_set_lean(from, lean ? AVL_EVEN : AVL_DEEPER(!s));
		if (avl_lean(from))
			return;
		node = from;
		from = avl_parent(node);
		s = from && from->rb_right == node;
	}
}

#define rb_first_cached(root)	((root)->rb_leftmost)

#endif /* TG_RBTREE_H */
