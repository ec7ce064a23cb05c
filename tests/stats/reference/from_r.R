# Reference values by R: `Rscript from_r.R > from_r.csv` in this folder.
# Debian 12: r-base-core 4.2.2, r-cran-coin 1.4-2, r-cran-exactranktests 0.8-35,
# r-cran-proc 1.18.0, r-cran-forecast 8.20. The data are made up by make_inputs.py.
suppressMessages({library(pROC); library(coin); library(exactRankTests); library(forecast)})
put <- function(name, value) cat(name, ",", format(as.numeric(value), digits = 15), "\n", sep = "")
cat("name,value\n")

d <- read.csv("ranking.csv")
area <- function(x) roc(d$truth, x, levels = c(0, 1), direction = "<")
a <- area(d$a); b <- area(d$b); k <- area(d$c)
two <- roc.test(a, b, method = "delong", paired = TRUE)
put("delong_z", two$statistic)
put("delong_p", two$p.value)
put("delong_auc_a", auc(a)); put("delong_auc_b", auc(b)); put("delong_auc_c", auc(k))
put("delong_var_a", var(a)); put("delong_var_b", var(b)); put("delong_var_c", var(k))
put("delong_cov_ab", cov(a, b, method = "delong"))
put("delong_cov_ac", cov(a, k, method = "delong"))
put("delong_cov_bc", cov(b, k, method = "delong"))

s <- read.csv("series.csv")
for (h in c(1, 3)) {
  # dm.test squares what it is given: the losses are squares of these
  found <- dm.test(sqrt(s$first), sqrt(s$second), h = h, power = 2)
  put(paste0("dm_t_", h), found$statistic)
  put(paste0("dm_p_", h), found$p.value)
}
plain <- t.test(s$first, s$second, paired = TRUE, conf.level = 0.9)
put("t_t", plain$statistic); put("t_p", plain$p.value)
put("t_low", plain$conf.int[1]); put("t_high", plain$conf.int[2])

p <- read.csv("pairs.csv")
x <- round(100 * p$first); y <- round(100 * p$second)  # whole, so that ties are ties
for (zero in c("Pratt", "Wilcoxon")) {
  exact <- wilcoxsign_test(x ~ y, distribution = exact(), zero.method = zero)
  put(paste0("wilcoxon_", tolower(zero), "_exact"), pvalue(exact))
  normal <- wilcoxsign_test(x ~ y, distribution = asymptotic(), zero.method = zero)
  put(paste0("wilcoxon_", tolower(zero), "_normal"), pvalue(normal))
}
put("wilcoxon_drop_exactranktests", wilcox.exact(x, y, paired = TRUE)$p.value)
tie_free <- wilcox.test(s$first[1:12], s$second[1:12], paired = TRUE, conf.int = TRUE)
put("wilcoxon_v", tie_free$statistic); put("wilcoxon_p", tie_free$p.value)
put("wilcoxon_median", tie_free$estimate)
put("wilcoxon_low", tie_free$conf.int[1]); put("wilcoxon_high", tie_free$conf.int[2])

w <- read.csv("whole.csv")
put("permutation_exact", perm.test(w$first, w$second, paired = TRUE, exact = TRUE)$p.value)

put("binomial_p", binom.test(9, 40, 0.15, alternative = "greater")$p.value)
put("binomial_critical", qbinom(0.95, 40, 0.15) + 1)
put("t_power", power.t.test(15, 0.4, 0.7, 0.02, type = "paired", strict = TRUE)$power)
put("t_size", power.t.test(NULL, 0.4, 0.7, 0.02, 0.9, type = "paired", strict = TRUE)$n)

# Takahashi et al. 2022: the variances as in the authors' own program, f1Scores.R
# (biostat.app.vumc.org/wiki/Main/TatsukiRcode), rows predicted, columns true
counts <- matrix(c(30, 4, 2, 5, 20, 6, 1, 3, 9), 3)
n <- sum(counts); share <- counts / n; hits <- diag(share)
margin <- rowSums(share) + colSums(share); f <- 2 * hits / margin
inner <- sum(f * (margin - 2 * hits) / margin^2 * ((margin - 2 * hits) / margin + f / 2))
slope <- f / margin
across <- sum(share * outer(slope, slope)) - sum(hits * slope^2)
macro <- sqrt(2 * (inner + across) / (n * 3^2))
micro <- sqrt(sum(hits) * (1 - sum(hits)) / n)
z <- qnorm(0.975)
put("f1_macro_low", mean(f) - z * macro); put("f1_macro_high", mean(f) + z * macro)
put("f1_micro_low", sum(hits) - z * micro); put("f1_micro_high", sum(hits) + z * micro)
