# SPDX-License-Identifier: GPL-2.0
# The predictor's test, under ASan and UBSan.

PREDICT_TEST := $(B)/tests/unit/predict_test

$(PREDICT_TEST): tests/unit/predict_test.c $(B)/lib/libtgcore-san.a
	@mkdir -p $(@D)
	$(CC) $(CORE_CFLAGS) -O1 $(SAN) $(CORE_INC) -MMD -MP -MF $@.d -o $@ $(filter %.c %.a,$^)

-include $(PREDICT_TEST:=.d)
