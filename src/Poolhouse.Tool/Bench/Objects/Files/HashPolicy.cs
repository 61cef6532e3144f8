using System.Security.Cryptography;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Tool.Bench.Objects.Files;

/// <summary>Hashers need no reset: taking the hash resets them.</summary>
internal sealed class HashPolicy : IPooledObjectPolicy<IncrementalHash>
{
    public IncrementalHash Create() => IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

    public bool Return(IncrementalHash obj) => true;
}
