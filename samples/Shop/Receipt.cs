using System.Globalization;
using System.Text;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.Shop;

/// <summary>A text that is built repeatedly. The pool resets it on return, and drops one that has grown too large.</summary>
internal sealed class Receipt : IResettable
{
    private readonly StringBuilder _text = new();

    public int MaxBytes => Encoding.UTF8.GetMaxByteCount(_text.Length);

    public void Add(IReadOnlyList<Order> orders, IReadOnlyDictionary<string, long> cents, decimal rate, string currency)
    {
        foreach (var order in orders)
        {
            var price = order.Count * cents.GetValueOrDefault(order.Cup) * rate / 100;
            _text.Append(CultureInfo.InvariantCulture, $"{order.Count} x {order.Cup}: {price:0.00} {currency}\n");
        }
    }

    public int CopyTo(Span<byte> bytes)
    {
        var length = 0;
        foreach (var chunk in _text.GetChunks())
        {
            length += Encoding.UTF8.GetBytes(chunk.Span, bytes[length..]);
        }

        return length;
    }

    public bool TryReset()
    {
        _text.Clear();
        return _text.Capacity <= 64 * 1024;
    }
}
