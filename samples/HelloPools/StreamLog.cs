
namespace Poolhouse.Samples.HelloPools;

// snippet: stream-log
internal sealed class StreamLog : StreamPoolObserver
{
    public override void OnReturned(in StreamReturnedArgs returned) =>
        Console.WriteLine($"{returned.Pool.Name}/{returned.Tag}: {returned.Length} bytes.");

    public override void OnLeaked(in StreamLeakedArgs leaked) =>
        Console.WriteLine($"{leaked.Pool.Name}/{leaked.Tag}: never disposed. {leaked.RentedAt}");

    public override void OnCopiedToArray(in StreamCopiedToArrayArgs copied) =>
        Console.WriteLine($"{copied.Pool.Name}/{copied.Tag}: {copied.Length} bytes copied to an array.");
}
// end snippet
