using Poolhouse.Samples.NativeAot;

if (args is ["stay"])
{
    await Watched.StayAsync();
    return;
}

// Touches every public type of the library, so that a native build which lost one would fail or count differently.
var checksum = new Checksum();
checksum.Add(Objects.Use());
checksum.Add(Buffers.Use());
checksum.Add(await Streams.UseAsync());
checksum.Add(Diagnostics.Use());
checksum.Add(await Resources.UseAsync());
checksum.Add(await Workers.UseAsync());
Console.WriteLine($"Checksum {checksum.Value:x16}");
