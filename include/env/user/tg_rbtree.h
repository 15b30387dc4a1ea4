/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ordered tree under the kernel's rbtree names, for user space.
 *
 * The core inserts, erases, and asks for the first node; it never looks at a node's colour.
 * So any balanced tree serves behind these names, and this one is a treap: no node is below one
 * of a smaller rank, and ranks are hashes of the nodes' addresses, so that the tree is as deep as
 * one that grew in random order. Callers descend and link a leaf with rb_link_node(), then call
 * rb_insert_color_cached(), as in the kernel.
 */
#ifndef TG_RBTREE_H
#define TG_RBTREE_H

struct rb_node {
	struct rb_node *parent;		/* itself: the node is in no tree (RB_CLEAR_NODE) */
	struct rb_node *rb_left, *rb_right;
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
#define RB_EMPTY_NODE(node)	((node)->parent == (node))
#define RB_CLEAR_NODE(node)	((node)->parent = (node))

static inline u64 treap_rank(const struct rb_node *node)
{
	u64 x = (uintptr_t)node * 0x9e3779b97f4a7c15;

	return (x ^ x >> 32) * 0x9e3779b97f4a7c15;
}

/* What points at @node. */
static inline struct rb_node **treap_link(struct rb_root *root, const struct rb_node *node)
{
	struct rb_node *parent = node->parent;

	if (!parent)
		return &root->rb_node;
	return parent->rb_left == node ? &parent->rb_left : &parent->rb_right;
}

/* Hang @node, which may be NULL, below @parent. */
static inline void treap_hang(struct rb_node *node, struct rb_node *parent, struct rb_node **link)
{
	*link = node;
	if (node)
		node->parent = parent;
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
	while ((parent = node->parent) && node == parent->rb_right)
		node = parent;
	return (struct rb_node *)parent;
}

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	node->parent = parent;
	node->rb_left = NULL;
	node->rb_right = NULL;
	*link = node;
}

/* The new leaf rises past those of smaller rank. */
static inline void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
					  bool leftmost)
{
	u64 rank = treap_rank(node);
	struct rb_node *parent;

	if (leftmost)
		root->rb_leftmost = node;
	while ((parent = node->parent) && treap_rank(parent) < rank) {
		treap_hang(node, parent->parent, treap_link(&root->rb_root, parent));
		if (parent->rb_left == node) {
			treap_hang(node->rb_right, parent, &parent->rb_left);
			treap_hang(parent, node, &node->rb_right);
		} else {
			treap_hang(node->rb_left, parent, &parent->rb_right);
			treap_hang(parent, node, &node->rb_left);
		}
	}
}

/* Its two subtrees take its place as one, from the top down, the greater rank first. */
static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	struct rb_node **link = treap_link(&root->rb_root, node), *parent = node->parent;
	struct rb_node *left = node->rb_left, *right = node->rb_right;

	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);
	while (left && right) {
		if (treap_rank(left) > treap_rank(right)) {
			treap_hang(left, parent, link);
			parent = left;
			link = &left->rb_right;
			left = *link;
		} else {
			treap_hang(right, parent, link);
			parent = right;
			link = &right->rb_left;
			right = *link;
		}
	}
	treap_hang(left ? left : right, parent, link);
}

#define rb_first_cached(root)	((root)->rb_leftmost)

#endif /* TG_RBTREE_H */
