
namespace Poolhouse.Tests.Streams;

/// <summary>An observer that records its events.</summary>
internal sealed class StreamRecorder : StreamPoolObserver
{
    private readonly Lock _gate = new();
    private readonly List<object> _heard = [];

    public List<T> Heard<T>()
    {
        lock (_gate)
        {
            return [.. _heard.OfType<T>()];
        }
    }

    public override void OnRented(in StreamRentedArgs rented) => Add(rented);

    public override void OnReturned(in StreamReturnedArgs returned) => Add(returned);

    public override void OnLeaked(in StreamLeakedArgs leaked) => Add(leaked);

    public override void OnCopiedToArray(in StreamCopiedToArrayArgs copied) => Add(copied);

    public override void OnTooLong(in StreamTooLongArgs refused) => Add(refused);

    private void Add(object what)
    {
        lock (_gate)
        {
            _heard.Add(what);
        }
    }
}
