/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ordered tree under the kernel's rbtree names, for user space.
 *
 * The core inserts, erases, and asks for the first node; it never looks at a node's colour.
 * So any balanced tree serves behind these names, and this one is an AVL tree: the
 * balance is kept by height, with the parent's address in the node. Callers descend
 * and link a leaf with rb_link_node(), then call rb_insert_color_cached(), as in the kernel.
 */
#ifndef TG_RBTREE_H
#define TG_RBTREE_H

struct rb_node {
	struct rb_node *parent;		/* itself: the node is in no tree (RB_CLEAR_NODE) */
	struct rb_node *rb_left, *rb_right;
	int height;			/* of the subtree; a leaf has 1 */
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

static inline int avl_height(const struct rb_node *node)
{
	return node ? node->height : 0;
}

static inline void avl_update(struct rb_node *node)
{
	int l = avl_height(node->rb_left), r = avl_height(node->rb_right);

	node->height = 1 + (l > r ? l : r);
}

/* Put @node where @old hung below @parent (NULL: the root). */
static inline void avl_replace(struct rb_root *root, struct rb_node *parent,
			       struct rb_node *old, struct rb_node *node)
{
	if (!parent)
		root->rb_node = node;
	else if (parent->rb_left == old)
		parent->rb_left = node;
	else
		parent->rb_right = node;
	if (node)
		node->parent = parent;
}

/* Rotate @node down to the left (@left) or to the right; returns what took its place. */
static inline struct rb_node *avl_rotate(struct rb_root *root, struct rb_node *node, bool left)
{
	struct rb_node *up = left ? node->rb_right : node->rb_left;
	struct rb_node *moved = left ? up->rb_left : up->rb_right;

	avl_replace(root, node->parent, node, up);
	if (left) {
		node->rb_right = moved;
		up->rb_left = node;
	} else {
		node->rb_left = moved;
		up->rb_right = node;
	}
	if (moved)
		moved->parent = node;
	node->parent = up;
	avl_update(node);
	avl_update(up);
	return up;
}

/* Restore the balance from @node up to the root, or to where no height changes. */
static inline void avl_rebalance(struct rb_root *root, struct rb_node *node)
{
	while (node) {
		struct rb_node *l = node->rb_left, *r = node->rb_right;
		int left = avl_height(l), right = avl_height(r);
		int before = node->height;

		if (left - right >= -1 && left - right <= 1) {
			node->height = 1 + (left > right ? left : right);
		} else if (left > right) {
			if (avl_height(l->rb_left) < avl_height(l->rb_right))
				avl_rotate(root, l, true);
			node = avl_rotate(root, node, false);
		} else {
			if (avl_height(r->rb_right) < avl_height(r->rb_left))
				avl_rotate(root, r, false);
			node = avl_rotate(root, node, true);
		}
		if (node->height == before)
			return;
		node = node->parent;
	}
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
	node->height = 1;
	*link = node;
}

static inline void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
					  bool leftmost)
{
	if (leftmost)
		root->rb_leftmost = node;
	if (node->parent && node->parent->height == 1) {
		node->parent->height = 2;
		avl_rebalance(&root->rb_root, node->parent->parent);
	}
}

static inline void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	struct rb_node *from = node->parent;

	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);

	if (node->rb_left && node->rb_right) {
		struct rb_node *heir = node->rb_right;

		while (heir->rb_left)
			heir = heir->rb_left;
		from = heir->parent == node ? heir : heir->parent;
		if (heir->parent != node) {
			avl_replace(&root->rb_root, heir->parent, heir, heir->rb_right);
			heir->rb_right = node->rb_right;
			heir->rb_right->parent = heir;
		}
		heir->rb_left = node->rb_left;
		heir->rb_left->parent = heir;
		heir->height = node->height;
		avl_replace(&root->rb_root, node->parent, node, heir);
	} else {
		avl_replace(&root->rb_root, node->parent, node,
			    node->rb_left ? node->rb_left : node->rb_right);
	}
	avl_rebalance(&root->rb_root, from);
}

#define rb_first_cached(root)	((root)->rb_leftmost)

#endif /* TG_RBTREE_H */
