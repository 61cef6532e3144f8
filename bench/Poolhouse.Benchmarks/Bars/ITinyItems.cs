namespace Poolhouse.Benchmarks.Bars;

/// <summary>A way to have tiny items run elsewhere. A struct for each, so that the loop is compiled for it alone.</summary>
internal interface ITinyItems
{
    static abstract void Post(TinyItems.Tally tally);
}
