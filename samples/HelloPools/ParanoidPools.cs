namespace Poolhouse.Samples.HelloPools;

internal static class ParanoidPools
{
    public static void Show()
    {
#pragma warning disable PH2001 // The analyzers see this second return while you type; paranoid mode sees those that they cannot.
        // snippet: paranoid
        using var pool = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "frames", Paranoid = ParanoidMode.Throw });
        var frame = pool.Rent(4096);
        pool.Return(frame);
        try
        {
            pool.Return(frame);
        }
        catch (PoolMisuseException misuse)
        {
            Console.WriteLine(misuse.Misuse.Kind); // DoubleReturn
            Console.WriteLine(misuse.Misuse.RentedAt); // the call stack of the rent; ReturnedAt: that of the first return
        }
        // end snippet
#pragma warning restore PH2001
    }
}
