#pragma warning disable PH1002 // shows what a lease does after its end
using System.Security.Cryptography;

namespace Poolhouse.Samples.HelloPools;

internal static class PooledStreams
{
    public static void Show()
    {
        Console.WriteLine("== Pooled streams");
        WriteAndRead();
        Expected();
        OwnPool();
        OneBudget();
        Secrets();
        Listen();
        ForbidCopies();
    }

    private static void WriteAndRead()
    {
        // snippet: stream
        using var stream = StreamPool.Shared.Rent(); // was: new MemoryStream()

        stream.Write("Hello, stream."u8);
        stream.Position = 0;
        using var reader = new StreamReader(stream);
        Console.WriteLine(reader.ReadToEnd());
        // end snippet
    }

    private static void Expected()
    {
        var reports = StreamPool.Shared;

        // snippet: stream-size-hint
        using var page = reports.Rent("page", sizeHint: 20_000); // its first block holds that many bytes
        // end snippet

        page.WriteByte(1);
        Console.WriteLine($"Room for a page of 20000 bytes: {page.Capacity >= 20_000}.");
    }

    private static void OwnPool()
    {
        // snippet: stream-options
        using var reports = new StreamPool(new StreamPoolOptions { Name = "reports", MaxLength = 100 << 20 });
        // end snippet

        Console.WriteLine($"A stream of {reports.Name} has up to {reports.MaxLength} bytes.");
    }

    private static void OneBudget()
    {
        // snippet: stream-budget
        using var blocks = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "blocks", MaxRetainedBytes = 64 << 20 });
        using var reports = new StreamPool(new StreamPoolOptions { Name = "reports", Arrays = blocks });
        using var previews = new StreamPool(new StreamPoolOptions { Name = "previews", Arrays = blocks });

        using (var stream = reports.Rent())
        {
            stream.SetLength(100_000);
        }

        var idle = blocks.GetStatistics().RetainedBytes; // at most 64 MiB for both pools together
        // end snippet

        Console.WriteLine($"The blocks wait for {previews.Name}: {idle >= 100_000}.");
    }

    private static void Secrets()
    {
        using var blocks = new TieredArrayPool<byte>(new ArrayPoolOptions { Name = "key-blocks", Clear = ClearPolicy.Sensitive });
        using var keys = new StreamPool(new StreamPoolOptions { Name = "keys", Arrays = blocks });

        using (var stream = keys.Rent())
        {
            stream.Write(RandomNumberGenerator.GetBytes(32));
        } // overwritten before the stream or its blocks are rented again

        using var next = keys.Rent();
        Console.WriteLine($"The next stream's block is zero: {!next.GetSpan(32).ContainsAnyExcept((byte)0)}.");
    }

    private static void Listen()
    {
        using var reports = new StreamPool(new StreamPoolOptions { Name = "reports", Observer = new StreamLog() });

        using (var stream = reports.Rent("monthly"))
        {
            stream.Write("12 pages"u8);
        }

        Console.WriteLine($"Not disposed: {reports.GetStatistics().Leased}.");
    }

    private static void ForbidCopies()
    {
        using var strict = new StreamPool(new StreamPoolOptions { Name = "strict", ThrowExceptionOnToArray = true });

        using var stream = strict.Rent();
        try
        {
            stream.ToArray();
        }
        catch (NotSupportedException)
        {
            Console.WriteLine("ToArray is disabled here.");
        }
    }
}
