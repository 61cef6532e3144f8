
namespace Poolhouse.Tests.Streams;

/// <summary>An observer that records its events.</summary>
internal sealed class StreamRecorder : StreamPoolObserver
{
    private readonly Lock _gate = new();
    private readonly List<object> _events = [];

    public List<T> Of<T>()
    {
        lock (_gate)
        {
            return [.. _events.OfType<T>()];
        }
    }

    public override void OnRented(in StreamRentedArgs rented) => Add(rented);

    public override void OnReturned(in StreamReturnedArgs returned) => Add(returned);

    public override void OnLeaked(in StreamLeakedArgs leaked) => Add(leaked);

    public override void OnCopiedToArray(in StreamCopiedToArrayArgs copied) => Add(copied);

    public override void OnTooLong(in StreamTooLongArgs refused) => Add(refused);

    private void Add(object recorded)
    {
        lock (_gate)
        {
            _events.Add(recorded);
        }
    }
}
