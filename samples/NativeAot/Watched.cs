namespace Poolhouse.Samples.NativeAot;

/// <summary>A pool to be looked at with <c>poolhouse watch</c>.</summary>
internal static class Watched
{
    public static async Task StayAsync()
    {
        var options = new ResourcePoolOptions { MaxSize = 2, Name = "native", LabelLeases = true };
        await using var pool = ResourcePool.Create(static _ => new ValueTask<List<int>>([]), options);
        using var label = LeaseLabel.Use("stay");
        using var lease = await pool.RentAsync();
        Console.WriteLine("ready");
        await Console.In.ReadToEndAsync();
    }
}
