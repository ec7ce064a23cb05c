# Power of DeLong's test by R: `Rscript power_of_areas.R > power_of_areas.csv` in this folder.
# Debian 12: r-base-core 4.2.2, r-cran-proc 1.18.0, r-cran-mvtnorm 1.1-3.
# Normal scores of two models with spread 1 in both classes, correlated by rho within a class.
suppressMessages({library(pROC); library(mvtnorm)})
put <- function(name, value) cat(name, ",", format(as.numeric(value), digits = 15), "\n", sep = "")
cat("name,value\n")
# Covariance of the placements of a positive example under two models, from the probability that
# it scores above one negative by each (`cross`), which is that of two correlated normals
cross <- function(a, b, rho) {
  shift <- sqrt(2) * c(qnorm(a), qnorm(b))
  # X1 - Y1 and X2 - Y2' with independent negatives: variance 2, covariance rho
  pmvnorm(upper = shift, mean = c(0, 0), sigma = matrix(c(2, rho, rho, 2), 2),
          algorithm = TVPACK(abseps = 1e-14)) - a * b
}
for (row in list(c(0.8, 0.05, 0.5), c(0.7, 0.1, 0), c(0.9, 0.03, 0.8), c(0.95, 0.04, 0.3))) {
  a <- row[1]; b <- row[1] + row[2]; rho <- row[3]
  name <- paste(row, collapse = "_")
  v <- cross(a, a, 1) + cross(b, b, 1) - 2 * cross(a, b, rho)
  put(paste0("variance_", name), v)
  # DeLong's variances of a large sample, from which pROC takes the number of cases;
  # for the level it takes twice the variance of its first curve, so that the order matters
  set.seed(20181113)
  each <- 8000
  draw <- function(shift) {
    first <- rnorm(each); second <- rho * first + sqrt(1 - rho^2) * rnorm(each)
    cbind(first + shift[1], second + shift[2])
  }
  scores <- rbind(draw(sqrt(2) * qnorm(c(b, a))), draw(c(0, 0)))
  truth <- rep(c(1, 0), each = each)
  one <- roc(truth, scores[, 1], quiet = TRUE, direction = "<")
  two <- roc(truth, scores[, 2], quiet = TRUE, direction = "<")
  put(paste0("delong_variance_", name),
      (var(one) + var(two) - 2 * cov(one, two)) * each / 2)
  put(paste0("delong_gap_", name), one$auc - two$auc)
  put(paste0("cases_better_first_", name), power.roc.test(one, two, power = 0.8)$ncases)
  put(paste0("cases_weaker_first_", name), power.roc.test(two, one, power = 0.8)$ncases)
}
