# One-sided p-values by R: `Rscript sides.R > sides.csv` in this folder.
# Debian 12: r-base-core 4.2.2, r-cran-exactranktests 0.8-35. The data are those of from_r.R.
suppressMessages(library(exactRankTests))
put <- function(name, value) cat(name, ",", format(as.numeric(value), digits = 15), "\n", sep = "")
cat("name,value\n")
s <- read.csv("series.csv"); p <- read.csv("pairs.csv"); w <- read.csv("whole.csv")
x <- round(100 * p$first); y <- round(100 * p$second)  # whole, so that ties are ties
for (side in c("greater", "less")) {
  put(paste0("t_", side), t.test(s$first, s$second, paired = TRUE, alternative = side)$p.value)
  put(paste0("wilcoxon_", side), wilcox.test(s$first[1:12], s$second[1:12], paired = TRUE,
                                            alternative = side, exact = TRUE)$p.value)
  put(paste0("wilcoxon_ties_", side), wilcox.exact(x, y, paired = TRUE, alternative = side)$p.value)
  put(paste0("permutation_", side), perm.test(w$first, w$second, paired = TRUE, exact = TRUE,
                                             alternative = side)$p.value)
  put(paste0("mcnemar_exact_", side), binom.test(32, 44, alternative = side)$p.value)
  put(paste0("sign_", side), binom.test(sum(x > y), sum(x != y), alternative = side)$p.value)
  put(paste0("single_t_", side), t.test(s$first, mu = 1, alternative = side)$p.value)
}
# McNemar's tests as R has them, and intervals for one proportion
put("mcnemar_chi2", mcnemar.test(matrix(c(60, 12, 32, 16), 2), correct = FALSE)$p.value)
put("mcnemar_corrected", mcnemar.test(matrix(c(60, 12, 32, 16), 2))$p.value)
exact <- binom.test(56, 60)$conf.int; score <- prop.test(56, 60, correct = FALSE)$conf.int
put("clopper_low", exact[1]); put("clopper_high", exact[2])
put("wilson_low", score[1]); put("wilson_high", score[2])
for (method in c("holm", "hochberg", "hommel", "bonferroni", "BH", "BY")) {
  found <- p.adjust(c(0.3, 0.001, 0.5, 0.02, 0.04, 0.04), method)
  for (i in 1:6) put(paste0("adjusted_", tolower(method), "_", i), found[i])
}
