/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ordered tree under the kernel's rbtree names, for user space.
 *
 * The core inserts, erases, and asks for the first node; it never looks at a node's colour.
 * So any balanced tree serves behind these names. This one is a red-black tree as the kernel's is,
 * so that a decision costs here about what it costs there: no red node has a red child, all ways
 * down from a node pass as many black ones, and a change is put right after O(1) steps in the mean.
 * Callers use rb_add_cached(), or descend and link a leaf with rb_link_node() and
 * call rb_insert_color_cached(), as in the kernel.
 */
#ifndef TG_RBTREE_H
#define TG_RBTREE_H

struct rb_node {
	uintptr_t up;		/* parent | colour; itself: it is in no tree (RB_CLEAR_NODE) */
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

#define RB_BLACK		((uintptr_t)1)	/* colours; a tree's top is black */

static inline struct rb_node *rb_parent(const struct rb_node *node)
{
	return (struct rb_node *)(node->up & ~RB_BLACK);
}

static inline bool rb_is_red(const struct rb_node *node)
{
	return node && !(node->up & RB_BLACK);
}

/* Which side of @parent, which may be NULL, is @node on? 0 is the left one. */
static inline u32 rb_side(const struct rb_node *parent, const struct rb_node *node)
{
	return parent && parent->rb_right == node;
}

/* Put @node where @old hangs; what @node knows of it is the caller's business. */
static inline void rb_replace(struct rb_root *root, const struct rb_node *old, struct rb_node *node)
{
	struct rb_node *parent = rb_parent(old);

	if (parent)
		parent->side[rb_side(parent, old)] = node;
	else
		root->rb_node = node;
}

/* @node, which may be NULL, has another parent. */
static inline void rb_set_parent(struct rb_node *node, struct rb_node *parent)
{
	if (node)
		node->up = (uintptr_t)parent | (node->up & RB_BLACK);
}

/*
 * Turn side @s of @top to where that is, and @top to the other side below it; they swap colours.
 * Return: the new top.
 */
static inline struct rb_node *rb_turn(struct rb_root *root, struct rb_node *top, u32 s)
{
	struct rb_node *up = top->side[s], *inner = up->side[!s];
	uintptr_t colour = up->up & RB_BLACK;

	rb_replace(root, top, up);
	up->up = top->up;
	up->side[!s] = top;
	top->up = (uintptr_t)up | colour;
	top->side[s] = inner;
	rb_set_parent(inner, top);
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
	while ((parent = rb_parent(node)) && node == parent->rb_right)
		node = parent;
	return (struct rb_node *)parent;
}

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	node->up = (uintptr_t)parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

static inline void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
					  bool leftmost)
{
	struct rb_node *parent, *top;

	if (leftmost)
		root->rb_leftmost = node;
	/* @node is red, and so its parent must not be. */
	while (rb_is_red(parent = rb_parent(node))) {
		u32 s;

		top = rb_parent(parent);
		s = rb_side(top, parent);
		if (!rb_is_red(top->side[!s])) {
			if (parent->side[!s] == node)
				rb_turn(&root->rb_root, parent, !s);
			rb_turn(&root->rb_root, top, s);
			return;
		}
		top->rb_left->up |= RB_BLACK;
		top->rb_right->up |= RB_BLACK;
		top->up &= ~RB_BLACK;
		node = top;
	}
	if (!parent)
		node->up |= RB_BLACK;
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

/* A black node has gone from side @s of @from: the ways down there lack one. */
static inline void rb_erase_black(struct rb_root *root, struct rb_node *from, u32 s)
{
	struct rb_node *other, *parent;

	for (; from; from = parent) {
		other = from->side[!s];
		if (rb_is_red(other)) {
			rb_turn(root, from, !s);
			other = from->side[!s];
		}
		if (rb_is_red(other->side[s]) || rb_is_red(other->side[!s])) {
			if (!rb_is_red(other->side[!s]))
				other = rb_turn(root, other, s);
			rb_turn(root, from, !s);
			other->side[!s]->up |= RB_BLACK;
			return;
		}
		other->up &= ~RB_BLACK;
		if (rb_is_red(from)) {
			from->up |= RB_BLACK;
			return;
		}
		parent = rb_parent(from);
		s = rb_side(parent, from);
	}
}

static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	struct rb_node *out = node, *child, *from;
	bool black;
	u32 s;

	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);
	/* A node with two children is replaced by the next one, which has one at most. */
	if (node->rb_left && node->rb_right)
		for (out = node->rb_right; out->rb_left;)
			out = out->rb_left;
	child = out->rb_left ? out->rb_left : out->rb_right;
	from = rb_parent(out);
	s = rb_side(from, out);
	black = out->up & RB_BLACK;
	rb_replace(&root->rb_root, out, child);
	rb_set_parent(child, from);
	if (out != node) {
		rb_replace(&root->rb_root, node, out);
		*out = *node;
		rb_set_parent(out->rb_left, out);
		rb_set_parent(out->rb_right, out);
		if (from == node)
			from = out;
	}
	if (rb_is_red(child))
		child->up |= RB_BLACK;
	else if (black)
		rb_erase_black(&root->rb_root, from, s);
}

#define rb_first_cached(root)	((root)->rb_leftmost)

#endif /* TG_RBTREE_H */
