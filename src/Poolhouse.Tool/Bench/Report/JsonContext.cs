using System.Text.Json.Serialization;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The serializers, made when the tool is compiled.</summary>
// A figure may be infinite: the time of an event that never occurred.
[JsonSourceGenerationOptions(
    WriteIndented = true,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UseStringEnumConverter = true,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals)]
[JsonSerializable(typeof(JsonDocumentModel))]
internal sealed partial class JsonContext : JsonSerializerContext;
