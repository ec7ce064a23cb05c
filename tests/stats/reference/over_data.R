# Reference values by R: `Rscript over_data.R > over_data_r.csv` in this folder.
# Debian 12: r-base-core 4.2.2, r-cran-coin 1.4-2. The data are made up by make_data_sets.py.
suppressMessages(library(coin))
put <- function(name, value) cat(name, ",", format(as.numeric(value), digits = 15), "\n", sep = "")
cat("name,value\n")
d <- as.matrix(read.csv("data_sets.csv"))
n <- nrow(d); k <- ncol(d)

f <- friedman.test(d)
put("friedman_chi2", f$statistic); put("friedman_p_chi2", f$p.value)
r <- t(apply(-d, 1, rank))
long <- data.frame(r = c(r), m = factor(rep(1:k, each = n)), b = factor(rep(1:n, k)))
anova <- summary(aov(r ~ m + b, data = long))[[1]]
put("friedman_F", anova[1, "F value"]); put("friedman_p_F", anova[1, "Pr(>F)"])
for (m in 1:k) put(paste0("average_rank_", m), mean(r[, m]))

# In hundredths, as R breaks ties of ranges such as .95 - .90 and .15 - .10 by rounding noise
q <- quade.test(round(100 * d))
put("quade_F", q$statistic); put("quade_p", q$p.value)

long$a <- rank(round(c(d - rowMeans(d)), 12))
aligned <- symmetry_test(a ~ m | b, data = long, teststat = "quadratic")
put("aligned_T", statistic(aligned)); put("aligned_p", pvalue(aligned))

error <- sqrt(k * (k + 1) / (6 * n))
for (j in 2:k) {
  z <- (mean(r[, 1]) - mean(r[, j])) / error
  put(paste0("nemenyi_p_1_", j), ptukey(sqrt(2) * abs(z), k, Inf, lower.tail = FALSE))
  put(paste0("dunn_p_1_", j), min(1, (k - 1) * 2 * pnorm(-abs(z))))
  wins <- sum(d[, 1] > d[, j]); losses <- sum(d[, 1] < d[, j])
  put(paste0("sign_p_1_", j), binom.test(wins, wins + losses)$p.value)
}
for (j in 2:20) put(paste0("q_", j), qtukey(0.95, j, Inf) / sqrt(2))
