namespace Poolhouse.Kernel.Threading;

/// <summary>A value that several threads raise, and that never falls.</summary>
internal static class Maximum
{
    /// <summary>Raises a maximum to a value, unless it is as high already.</summary>
    /// <returns>The maximum.</returns>
    public static long Raise(ref long maximum, long value)
    {
        var highest = Volatile.Read(ref maximum);
        while (value > highest)
        {
            var seen = Interlocked.CompareExchange(ref maximum, value, highest);
            if (seen == highest)
            {
                return value;
            }

            highest = seen;
        }

        return highest;
    }
}
