using System.Runtime.InteropServices;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Samples.NativeAot;

[StructLayout(LayoutKind.Auto)]
internal readonly struct ListPolicy : IPooledObjectPolicy<List<int>>
{
    public List<int> Create() => [];

    public bool Return(List<int> obj)
    {
        obj.Clear();
        return true;
    }
}
