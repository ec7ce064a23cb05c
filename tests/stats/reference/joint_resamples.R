# Adjusted p-values of a family on joint resamples, and of pairs of means by the multivariate t.
# Debian 12: r-base-core 4.2.2, r-bioc-multtest 2.54.0, r-cran-multcomp 1.4-22.
# Run from this folder: Rscript joint_resamples.R. The data are those of `joint_losses.csv` and
# `joint_statistics.csv`, made up by make_joint.py.
suppressMessages(library(multtest))
suppressMessages(library(multcomp))
out <- data.frame()

null <- as.matrix(read.csv("joint_statistics.csv", header = FALSE))
observed <- c(2.6, 1.1, 2.2, 0.2, 3.1)
# p of each statistic among the resamples of its hypothesis, and of the observed ones
share <- function(column, x) mean(column >= x)
raw <- sapply(1:5, function(j) share(abs(null[, j]), observed[j]))
obs <- rbind(observed, 1, 1)
found <- ss.minP(t(abs(null)), obs, raw, "two.sided", get.cutoff = FALSE, get.cr = FALSE,
                 get.adjp = TRUE, alpha = 0.05)
for (j in 1:5) {
  out <- rbind(out, data.frame(what = "raw", place = j - 1, value = raw[j]))
  out <- rbind(out, data.frame(what = "ss.minP", place = j - 1, value = found$adjp[j]))
}

losses <- as.matrix(read.csv("joint_losses.csv", header = FALSE))
pairs <- rbind(c(1, 2), c(1, 3), c(1, 4), c(2, 3), c(2, 4), c(3, 4))
d <- losses[, pairs[, 1]] - losses[, pairs[, 2]]
n <- nrow(d)
family <- glht(parm(coef = colMeans(d), vcov = cov(d) / n, df = n - 1), linfct = diag(6))
set.seed(1)
single <- summary(family, test = adjusted("single-step"))
wide <- confint(family, level = 0.95)$confint
for (j in 1:6) {
  out <- rbind(out, data.frame(what = "single-step", place = j - 1,
                               value = single$test$pvalues[j]))
  out <- rbind(out, data.frame(what = "low", place = j - 1, value = wide[j, "lwr"]))
  out <- rbind(out, data.frame(what = "high", place = j - 1, value = wide[j, "upr"]))
}
write.csv(out, "joint_resamples.csv", row.names = FALSE, quote = FALSE)
