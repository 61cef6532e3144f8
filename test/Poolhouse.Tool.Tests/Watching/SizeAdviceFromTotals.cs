using Poolhouse.Extensions.Health;

namespace Poolhouse.Tool.Tests.Watching;

/// <summary>The advice on the size of a pool, and when there is none.</summary>
public sealed class SizeAdviceFromTotals
{
    [Fact]
    public void There_is_no_advice_before_ten_minutes_and_a_thousand_uses()
    {
        Assert.Null(Run(new SizeTotals(), minutes: 9, uses: 1000, leased: 1, max: 100, peak: 2).Advise());
        Assert.Null(Run(new SizeTotals(), minutes: 60, uses: 10, leased: 1, max: 100, peak: 2).Advise());
        Assert.NotNull(Run(new SizeTotals(), minutes: 11, uses: 1000, leased: 1, max: 100, peak: 2).Advise());
    }

    [Fact]
    public void There_is_no_advice_for_a_small_pool_or_one_that_is_used()
    {
        Assert.Null(Run(new SizeTotals(), minutes: 60, uses: 1000, leased: 1, max: 7, peak: 1).Advise());
        Assert.Null(Run(new SizeTotals(), minutes: 60, uses: 1000, leased: 9, max: 20, peak: 12).Advise());
    }

    [Fact]
    public void A_pool_in_which_callers_wait_is_too_small_only_if_uses_do_not_take_longer_when_it_is_full()
    {
        var fast = Run(new SizeTotals(), minutes: 20, uses: 1000, leased: 2, max: 8, peak: 8);
        Assert.StartsWith(
            "Too small: 10 % of the rents had to wait, with up to 8 of 8 items in use",
            Run(fast, minutes: 20, uses: 1000, leased: 8, max: 8, peak: 8, waits: 200).Advise(), StringComparison.Ordinal);

        var slow = Run(new SizeTotals(), minutes: 20, uses: 1000, leased: 2, max: 8, peak: 8);
        Assert.Contains(
            "uses take 3.0 times as long when more than half of the items are leased",
            Run(slow, minutes: 20, uses: 1000, leased: 8, max: 8, peak: 8, waits: 200, milliseconds: 30).Advise(),
            StringComparison.Ordinal);

        // Always full: there is nothing to compare with.
        Assert.Null(Run(new SizeTotals(), minutes: 20, uses: 1000, leased: 8, max: 8, peak: 8, waits: 200).Advise());
    }

    [Fact]
    public void What_was_seen_before_a_resize_does_not_count()
    {
        var totals = Run(new SizeTotals(), minutes: 60, uses: 1000, leased: 1, max: 100, peak: 2);
        Assert.Null(Run(totals, minutes: 5, uses: 1000, leased: 1, max: 50, peak: 2).Advise());
    }

    /// <summary>Samples of a minute each.</summary>
    private static SizeTotals Run(
        SizeTotals totals, int minutes, int uses, int leased, int max, int peak, int waits = 0, double milliseconds = 10)
    {
        for (var minute = 0; minute < minutes; minute++)
        {
            var share = uses / minutes;
            totals.Add(
                TimeSpan.FromMinutes(1), max, leased, share + (minute == 0 ? uses % minutes : 0),
                (share + (minute == 0 ? uses % minutes : 0)) * TimeSpan.FromMilliseconds(milliseconds),
                minute == 0 ? waits : 0, peak);
        }

        return totals;
    }
}
